import type { ServicePlan } from './service-plan.ts'

export type UnitScope = 'user' | 'system'

/**
 * The text of toolhaven.service. `systemd-analyze verify` reads it in the tests.
 *
 * A daemon that is replaced by another one exits with 0 and is not restarted. One that fails is. With `mixed`, the daemon
 * gets SIGTERM and drains its calls before systemd kills what is left. By default, systemd would stop all servers when
 * one runs out of memory.
 */
export function renderSystemdUnit({ command, env, homeDir }: ServicePlan, scope: UnitScope): string {
  // systemd rejects a program path with these characters, whatever the quoting.
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

/** The line of a system unit that shows whose daemon it starts. */
export const homeLine = (homeDir: string) => `Environment=${quote(`HOME=${homeDir}`)}`

/** After systemd.syntax(7) and systemd.unit(5): C escapes in double quotes, and `%` begins a specifier. */
function quote(text: string): string {
  const escaped = text
    .replaceAll('%', '%%')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
  return `"${escaped}"`
}
