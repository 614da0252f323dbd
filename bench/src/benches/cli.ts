import { spawnSync } from 'node:child_process'
import { type Bench, lessIsBetter } from '../figure.ts'
import { THV } from '../rig/home.ts'
import { endedChildrenCpuMs } from '../rig/proc.ts'
import { inTurns, median, of } from '../rig/statistics.ts'

const ROUNDS = 8
/** The kernel counts in steps of 10 ms: one start alone would be measured too coarsely. */
const STARTS = 10

export const cli: Bench = {
  name: 'cli',
  title: 'Processor time of a command against starting Node with nothing to do',
  run: async (rig) => {
    const { home } = await rig.hundred()
    const contenders = {
      node: () => measure(home.env, ['-e', '0']),
      version: () => measure(home.env, [THV, '--version']),
      list: () => measure(home.env, [THV, 'list']),
      help: () => measure(home.env, [THV, 'run', '--help']),
    }
    await inTurns(1, contenders) // until compiled code is kept
    const rounds = await inTurns(ROUNDS, contenders)
    const baseline = median(of(rounds, 'node'))
    const figure = (name: string, contender: string, below?: number) =>
      lessIsBetter({
        ...{ name, unit: 'ms', ours: median(of(rounds, contender)), baseline },
        ...(below !== undefined && { target: { of: 'ratio', below } }),
      })
    return [
      figure('thv --version', 'version', 1.5),
      figure('thv list, 100 workloads', 'list', 1.4),
      figure('thv run --help', 'help'),
    ]
  },
}

async function measure(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<number> {
  const before = endedChildrenCpuMs()
  for (let start = 0; start < STARTS; start++) {
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  }
  return (endedChildrenCpuMs() - before) / STARTS
}
