import { mkdir } from 'node:fs/promises'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import { proxyVariables } from '../isolation/ways.ts'
import { createLayout, isSystemPath } from './layout.ts'
import type { Layout } from './layout.ts'
import type { PackageManifest } from './package-manifest.ts'
import { SANDBOX_HOME, SANDBOX_NODE, SANDBOX_PACKAGE, SANDBOX_PATH } from './sandbox-plan.ts'
import type { ForwardedNetwork, SandboxPlan } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

export interface ServerPlanParts {
  spec: InstanceSpec
  manifest: PackageManifest
  sandbox: Sandbox
  nodePath: string
  /** Private folder for home and temporary files where the sandbox has none of its own. */
  privateDir: string
  /** Search path of the machine, for sandboxes that share its files. */
  machinePath: string | undefined
  /** Left out: the network of the spec as it is. */
  forwarded?: ForwardedNetwork
}

/** What the server of a fetched package is run with. */
export async function planServer(parts: ServerPlanParts): Promise<SandboxPlan> {
  const { spec, manifest, sandbox, nodePath, privateDir } = parts
  const layout = createLayout(sandbox)
  const folder = layout.place(spec.prepared.id, SANDBOX_PACKAGE)
  const node = layout.place(nodePath, SANDBOX_NODE)
  for (const path of manifest.needs) if (!isSystemPath(path)) layout.place(path, path)
  await placeMounts(layout, spec, sandbox)
  if (!sandbox.isolatesFiles) {
    await mkdir(privateDir, { recursive: true, mode: 0o700 })
    layout.place(privateDir, privateDir, 'writable')
  }
  const home = sandbox.isolatesFiles ? SANDBOX_HOME : privateDir
  const searchPath = sandbox.isolatesFiles ? SANDBOX_PATH : (parts.machinePath ?? '/usr/bin:/bin')
  const env = {
    PATH: searchPath,
    HOME: home,
    TMPDIR: sandbox.isolatesFiles ? '/tmp' : privateDir,
    USER: 'user',
    LOGNAME: 'user',
    LANG: 'C.UTF-8',
    // Python would otherwise hold protocol messages back in its buffer.
    ...(manifest.scheme === 'uvx' ? { PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' } : {}),
    ...spec.env,
    ...(typeof spec.network === 'object' && proxyVariables(spec.network)),
  }
  const network = parts.forwarded ?? (spec.network === 'host' ? 'full' : 'none')
  const [program, ...args] = commandLine(manifest, folder, node)
  return { program, args: [...args, ...spec.args], env, workDir: home, binds: layout.binds, network }
}

function commandLine({ interpreter, entry }: PackageManifest, folder: string, node: string): [string, ...string[]] {
  const path = join(folder, entry)
  if (interpreter.kind === 'node') return [node, ...interpreter.args, path]
  if (interpreter.kind === 'folder') return [join(folder, interpreter.program), path]
  return [path]
}

async function placeMounts(layout: Layout, spec: InstanceSpec, sandbox: Sandbox): Promise<void> {
  for (const { hostPath, containerPath, readOnly, identity } of spec.mounts) {
    if (!sandbox.isolatesFiles && (hostPath !== containerPath || readOnly)) {
      throw invalid(`The mount ${hostPath} cannot be made with ${sandbox.kind} as the sandbox; install bubblewrap.`)
    }
    const found = await stat(hostPath).catch(() => undefined)
    if (found === undefined)
      throw invalid(`The mount ${hostPath} is not there or not readable; create it or change the permission profile.`)
    layout.place(hostPath, resolve(containerPath), readOnly ? 'read-only' : 'writable', identity)
  }
}
