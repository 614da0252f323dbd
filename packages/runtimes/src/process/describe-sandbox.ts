import { detectSandbox } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'

export interface SandboxDescription {
  kind: Sandbox['kind'] | 'missing'
  /** `strong`: own files, processes and network. `weak`: processes and network only. `none`: no isolation. */
  strength: 'strong' | 'weak' | 'none'
  /** A few words with the version, or what is missing and how to get it. */
  text: string
  notes: string[]
}

export interface DescribeSandboxOptions {
  dataDir: string
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  allowUnsandboxed: boolean
}

/** The sandbox that servers get on this machine without a container engine, determined by trying. */
export async function describeSandbox(
  options: DescribeSandboxOptions,
  signal: AbortSignal,
): Promise<SandboxDescription> {
  const { platform, arch } = process
  const sandbox = await detectSandbox({ ...options, platform, arch, isRoot: process.getuid?.() === 0 }, signal)
  if ('reason' in sandbox) return { kind: 'missing', strength: 'none', text: sandbox.reason, notes: [] }
  return { kind: sandbox.kind, strength: STRENGTH[sandbox.kind], text: sandbox.description, notes: sandbox.notes }
}

const STRENGTH = {
  bubblewrap: 'strong',
  // Confines files too, but that has not been verified yet.
  'sandbox-exec': 'weak',
  unshare: 'weak',
  none: 'none',
} as const satisfies Record<Sandbox['kind'], SandboxDescription['strength']>
