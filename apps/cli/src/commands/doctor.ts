import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const doctor = defineCommand({
  words: 'doctor',
  summary: 'Look for what is wrong, and say how to fix it',
  description:
    'Checks the machine (runtime and what it cannot do, versions, socket, rights of folders, damaged files, disk, secret store, ' +
    'ports, files of clients) and each workload, or the one you name: whether a client can connect, ping and list tools, by the SDK that ' +
    'clients use; whether the tools are described and their schemas valid; how many tokens their definitions cost in every ' +
    'conversation (estimated as characters of their JSON divided by four); and which isolation is in force, read from the ' +
    'running server itself: user, capabilities, system calls, files, network, limits, mounts.\n\n' +
    'Each gets a grade: A nothing to say, B warnings only, C one check failed, D several failed, F it does not work (daemon, ' +
    'runtime, status, initialize) or sees the files of the machine. The whole has the worst of them. Below each finding ' +
    'stands the command that fixes it.\n\n' +
    'Exit code 0 when nothing failed, 1 when something must be fixed. As JSON: {"grade", "machine", "workloads"}, each ' +
    'check with its status (ok, info, warning, failed), what was found and the fix.',
  args: [{ name: 'workload', summary: 'only this workload, and the machine', completes: 'workload' }],
  flags: { ...FORMAT_FLAG },
  examples: [
    { command: 'thv doctor', shows: 'the machine and every workload that should run' },
    { command: 'thv doctor time', shows: 'the machine and the workload time' },
    { command: 'thv doctor --format json', shows: 'for a script' },
  ],
  run: async (context, { args: [name], flags }) => {
    const { examine } = await import('../doctor/examine.ts')
    const report = await examine(context, name)
    if (flags.format === 'json') context.out.json(report)
    else (await import('../doctor/show-report.ts')).showReport(context.out, report)
    const checks = [report.machine, ...report.workloads].flatMap((part) => part.checks)
    if (checks.some(({ status }) => status === 'failed')) process.exitCode = 1
  },
})
