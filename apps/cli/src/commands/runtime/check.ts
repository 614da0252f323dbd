import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import type { Output } from '../../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

export const runtimeCheck = defineCommand({
  words: 'runtime check',
  summary: 'Check where workloads run',
  description:
    'Asks the daemon which runtime it uses (Docker, Podman, or sandboxed processes), whether the runtime answers, what was tried to ' +
    'find it, and which isolation is in force. The exit code is 4 if it cannot run workloads.\n\n' +
    'THV_RUNTIME (docker, podman or process) chooses the runtime when the daemon starts. If there is no such runtime, the daemon ' +
    'does not start. A daemon that already runs keeps its runtime.',
  flags: {
    timeout: {
      type: 'number',
      value: 'seconds',
      summary: 'how long to wait for an answer',
      default: 30,
      min: 1,
      max: 3600,
    },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv runtime check', shows: 'the runtime, its sandbox and what was tried' },
    { command: 'thv runtime check --format json', shows: 'for a script' },
  ],
  run: async ({ daemon, out, env, signal }, { flags }) => {
    const { unavailable } = await import('@toolhaven/core/errors')
    const client = await daemon()
    const limit = AbortSignal.timeout(flags.timeout * 1000)
    const report = await client.call('getRuntime', {}, AbortSignal.any([signal, limit])).catch((error: unknown) => {
      throw limit.aborted
        ? unavailable(`the runtime did not answer within ${flags.timeout} s; is its engine stuck?`, error)
        : error
    })
    if (flags.format === 'json') out.json(report)
    else show(out, report)
    // A daemon on another machine has another environment.
    if (!env['THV_HOST']) noteOtherChoice(out, env['THV_RUNTIME'], report.name)
    if (report.state === 'healthy') return
    throw unavailable(
      printable(`workloads cannot run: ${report.reason ?? `the runtime ${report.name} is ${report.state}`}`),
    )
  },
})

const RUNTIMES = ['docker', 'podman', 'process']

/** Otherwise, a person who set the variable for this command would take the shown runtime for the requested one. */
function noteOtherChoice(out: Output, choice: string | undefined, inUse: string): void {
  if (!choice || choice === inUse) return
  const is = printable(`THV_RUNTIME is ${JSON.stringify(choice)}`)
  if (!RUNTIMES.includes(choice))
    out.note(`${is}, which is not a runtime. Set it to ${RUNTIMES.join(', ')}, or unset it.`)
  else
    out.note(
      `${is}, but the daemon runs already and uses ${inUse}. ` +
        `To change that, stop it with "thv serve --stop" and run this command again.`,
    )
}

function show(out: Output, report: RuntimeReport): void {
  const { green, red } = out.colour
  const rows = [
    ['Runtime', [report.name, report.version].filter(Boolean).join(' ')],
    ['State', report.state],
    ['Sandbox', report.sandbox ?? 'unknown'],
  ] as const
  for (const [title, value] of rows) {
    const text = printable(value)
    const painted = title === 'State' ? (report.state === 'healthy' ? green : red)(text) : text
    out.line(`${title.padEnd(9)}${painted}`)
  }
  for (const note of report.notes) out.line(printable(`${'Note'.padEnd(9)}${note}`))
  if (report.tried.length === 0) return
  out.line('')
  out.table(
    [
      { title: 'TRIED', value: ({ candidate }) => candidate },
      { title: 'OUTCOME', value: ({ outcome }) => outcome, shrinks: true },
    ],
    report.tried,
  )
}
