import includeLanguages from '@theme-original/prism-include-languages'
import type { Prism as PrismLibrary } from 'prism-react-renderer'

/** A word that begins a command: at the start of a line or after `|`, `;`, `&` and `$(`, but not in a continued line. */
const COMMAND = /(^[ \t]*|[;|&][ \t]*|\$\([ \t]*)(?<!\\\n[ \t]*)(?!\d)[\w./-]+(?=[\s)]|$)/m

export default function includeTheLanguages(Prism: typeof PrismLibrary): void {
  includeLanguages(Prism)
  const { bash } = Prism.languages
  if (bash === undefined) throw new Error('The grammar for bash is not loaded')
  // The stock grammar colours every word that is also the name of a program or a builtin: `time` in `thv run time`.
  for (const token of ['builtin', 'keyword']) Reflect.deleteProperty(bash, token)
  Object.assign(bash, {
    // Hyphens too: the stock pattern takes `--name` and leaves `--proxy-port`.
    parameter: { pattern: /(^|\s)--?[\w-]+(?=[=\s]|$)/, lookbehind: true, alias: 'variable' },
    function: { pattern: COMMAND, lookbehind: true, greedy: true },
  })
}
