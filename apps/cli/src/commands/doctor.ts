import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const doctor = defineCommand({
  words: 'doctor',
  summary: 'Find problems, and show how to fix them',
  description:
    'Checks the machine (runtime and its limits, versions, socket, permissions of folders, damaged files, disk, secret store, ' +
    'ports, files of clients) and each workload, or the one that you name: whether a client can connect, ping and list tools, with the SDK that ' +
    'clients use; whether the tools have descriptions and valid schemas; how many tokens their definitions cost in every ' +
    'conversation (estimated as characters of their JSON divided by four); and which isolation is in force, read from the ' +
    'running server: user, capabilities, system calls, files, network, limits, mounts.\n\n' +
    'Each gets a grade: A no findings, B warnings only, C one check failed, D several failed, F it does not work (daemon, ' +
    'runtime, status, initialize) or sees the files of the machine. The overall grade is the worst of them. Below each finding ' +
    'is the command that fixes it.\n\n' +
    'The exit code is 0 if nothing failed, and 1 if you need to fix something. As JSON: {"grade", "machine", "workloads"}, each ' +
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
