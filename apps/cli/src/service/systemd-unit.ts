import type { ServicePlan } from './service-plan.ts'

export type UnitScope = 'user' | 'system'

/**
 * The text of toolhaven.service. `systemd-analyze verify` reads it in the tests.
 *
 * A daemon that another one takes over from ends with 0 and is not started again; one that fails is. `mixed`: the daemon
 * is asked first and drains its calls, what is left is killed after that. One server that runs out of memory must not
 * take all the others along, which is what systemd would do by default.
 */
export function renderSystemdUnit({ command, env, homeDir }: ServicePlan, scope: UnitScope): string {
  // systemd takes no path with these in it for a program, whatever the quoting.
  const [program = '', ...args] = /["'\\]/.test(command[0] ?? '') ? ['/usr/bin/env', ...command] : command
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`)
  return `# Written by "thv serve --install"; "thv serve --uninstall" removes it.
[Unit]
Description=Toolhaven, which runs MCP servers in isolation
${scope === 'system' ? 'Wants=network-online.target\nAfter=network-online.target docker.service podman.socket\n' : ''}
[Service]
Type=exec
ExecStart=${[quote(program), ...args.map((arg) => quote(arg.replaceAll('$', '$$$$')))].join(' ')}
${[...(scope === 'system' ? [homeLine(homeDir)] : []), ...variables].join('\n')}
Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=45
OOMPolicy=continue

[Install]
WantedBy=${scope === 'system' ? 'multi-user.target' : 'default.target'}
`
}

/** Whose daemon a unit of the machine starts. */
export const homeLine = (homeDir: string) => `Environment=${quote(`HOME=${homeDir}`)}`

/** As systemd.syntax(7) and systemd.unit(5) have it: C escapes in double quotes, and `%` begins a specifier. */
function quote(text: string): string {
  const escaped = text
    .replaceAll('%', '%%')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
  return `"${escaped}"`
}
