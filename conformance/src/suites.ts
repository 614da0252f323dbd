import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

/** One outcome of one scenario, as the suite writes it down. */
const check = z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() })
export type Check = z.infer<typeof check>

/** A release of the official suite, at one revision of the protocol. */
export interface SuiteRun {
  name: string
  revision: '2025-11-25' | '2026-07-28'
  program: string
  /** Arguments that run everything. */
  all: readonly string[]
  /** With the name of one scenario before them. */
  one: readonly string[]
}

const stable = programOf('@modelcontextprotocol/conformance')
const next = programOf('conformance-next')

export const SUITE_RUNS: readonly SuiteRun[] = [
  { name: '0.1', revision: '2025-11-25', program: stable, all: ['--suite', 'all'], one: [] },
  ...(['2025-11-25', '2026-07-28'] as const).map((revision) => ({
    name: '0.2',
    revision,
    program: next,
    all: ['--requirements', revision],
    one: ['--spec-version', revision, '--force'],
  })),
]

/** What a server has to pass to conform to a revision, according to the suite itself. */
export function requiredScenarios(revision: SuiteRun['revision']): string[] {
  const file = path.join(path.dirname(next), '..', 'requirements', `${revision}.yaml`)
  const section = /^server:\n(?<names>(?: {2}- .+\n)+)/m.exec(readFileSync(file, 'utf8'))?.groups?.['names']
  if (section === undefined) throw new Error(`${file} does not say what servers must pass.`)
  return [...section.matchAll(/- (\S+)/g)].map((match) => match[1] ?? '')
}

/** Runs everything, or one scenario, against the server at `url`. Returns outcomes by scenario, in order. */
export async function runSuite(run: SuiteRun, url: string, scenario?: string): Promise<Map<string, Check[]>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'thv-conformance-'))
  try {
    const which = scenario === undefined ? run.all : ['--scenario', scenario, ...run.one]
    const args = [run.program, 'server', '--url', url, '--output-dir', folder, ...which]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
    await once(child, 'close')
    const outcomes = readOutcomes(folder)
    if (outcomes.size === 0) throw new Error(`The suite did not run: ${Buffer.concat(output).toString().slice(-2000)}`)
    return outcomes
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Each scenario has a folder `server-NAME-TIME`. */
function readOutcomes(folder: string): Map<string, Check[]> {
  const outcomes = globSync('server-*/checks.json', { cwd: folder }).map((file) => {
    const [, name = file, time = ''] = /^server-(.+)-(\d{4}-\d\d-\d\dT.+)[/\\]checks\.json$/.exec(file) ?? []
    const checks = z.array(check).parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8')))
    return { name, time, checks }
  })
  return new Map(outcomes.toSorted((a, b) => a.time.localeCompare(b.time)).map(({ name, checks }) => [name, checks]))
}

function programOf(name: string): string {
  return fileURLToPath(import.meta.resolve(`${name}/dist/index.js`))
}
