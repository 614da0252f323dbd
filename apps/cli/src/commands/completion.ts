import { defineCommand } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const

export const completion = defineCommand({
  words: 'completion',
  summary: 'Print a completion script for your shell',
  description:
    'Prints a script that completes commands, flags and the names of workloads, groups, clients and secrets.\n\n' +
    '  bash        thv completion bash > ~/.local/share/bash-completion/completions/thv\n' +
    '  zsh         thv completion zsh > "${fpath[1]}/_thv"\n' +
    '  fish        thv completion fish > ~/.config/fish/completions/thv.fish\n' +
    '  powershell  thv completion powershell >> $PROFILE\n\n' +
    'Then open a new shell. The scripts for bash, zsh and fish are tested; the one for PowerShell is not.',
  args: [{ name: 'shell', summary: 'your shell', required: true, choices: SHELLS }],
  examples: [{ command: 'thv completion bash', shows: 'the script, on standard output' }],
  run: async ({ out }, { args: [wanted] }) => {
    const { COMPLETION_SCRIPTS } = await import('../completion/scripts.ts')
    const shell = SHELLS.find((name) => name === wanted) ?? 'bash'
    out.line(COMPLETION_SCRIPTS[shell].trimEnd())
  },
})
