export type StageName = 'unit' | 'engine' | 'site' | 'e2e' | 'console'

export interface Stage {
  name: StageName
  /** The projects of vitest.config.ts that belong to it, if it is not the one of its name alone. */
  projects?: readonly string[]
  /** How long a sampled run should take beside the other lane. The runner says when it takes longer. */
  budgetSeconds: number
  /** A stage that hangs is ended after this many minutes. A full run has no such limit. */
  limitMinutes: number
  /** Chromium drops its connections when an interface of its network comes or goes, as the engines' do all the time. */
  ownNetwork?: boolean
  /** Its tests run the built program. The runner builds it once, before the lanes: two of these may run side by side. */
  usesProgram?: boolean
}

export const STAGES = {
  unit: { name: 'unit', projects: ['unit', 'alone'], budgetSeconds: 300, limitMinutes: 25 },
  engine: { name: 'engine', budgetSeconds: 220, limitMinutes: 20 },
  site: { name: 'site', budgetSeconds: 300, limitMinutes: 20, ownNetwork: true },
  e2e: { name: 'e2e', budgetSeconds: 540, limitMinutes: 30, usesProgram: true },
  console: { name: 'console', budgetSeconds: 150, limitMinutes: 15, ownNetwork: true, usesProgram: true },
} as const satisfies Record<StageName, Stage>

/**
 * Lanes run side by side, the stages of a lane one after the other. Each lane pairs a stage that computes with one that
 * waits for engines and browsers, so that both cores have work until the end.
 */
export const LANES: readonly (readonly Stage[])[] = [
  [STAGES.unit, STAGES.site, STAGES.console],
  [STAGES.engine, STAGES.e2e],
]

/** The stage that runs a file, if the file is a test. The folders are those of vitest.config.ts. */
export function stageOf(file: string): StageName | undefined {
  if (!file.endsWith('.test.ts')) return undefined
  if (file.endsWith('.engine.test.ts')) return 'engine'
  if (file.startsWith('apps/website/tests/')) return 'site'
  if (file.startsWith('apps/console/tests/')) return 'console'
  return file.startsWith('e2e/') || /^conformance\/[^/]+$/.test(file) ? 'e2e' : 'unit'
}
