export interface Fence {
  language: string
  /** The words after the language; `exit=3` has a value, `run` an empty one. */
  meta: ReadonlyMap<string, string>
  text: string
  /** Index of the first line after the fence. */
  end: number
  /** Whether only blank lines are between this fence and the one that opens at the given line (from 1). */
  isNextTo: (line: number) => boolean
}

const OPENS = /^(\s*)(`{3,}|~{3,})([\w-]*)[ \t]*(.*)$/

/** The code block that opens at the given index, without its indentation in a list or a tab. */
export function readFence(lines: readonly string[], at: number): Fence | undefined {
  const [, indent = '', marks, language = '', words = ''] = OPENS.exec(lines[at] ?? '') ?? []
  if (marks === undefined) return undefined
  const closing = lines.findIndex((line, index) => index > at && isClosing(line, marks))
  const close = closing === -1 ? lines.length : closing
  const inner = lines.slice(at + 1, close).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
  return {
    language,
    meta: readMeta(words),
    text: inner.join('\n'),
    end: close + 1,
    isNextTo: (line) => {
      const before = readFence(lines, line - 1)
      return before !== undefined && lines.slice(before.end, at).every((between) => between.trim() === '')
    },
  }
}

function isClosing(line: string, marks: string): boolean {
  const text = line.trim()
  return text.length >= marks.length && text === (marks[0] ?? '').repeat(text.length)
}

function readMeta(words: string): ReadonlyMap<string, string> {
  const found = words.matchAll(/([\w-]+)(?:=("[^"]*"|\S+))?/g)
  return new Map(Array.from(found, ([, name = '', value = '']) => [name, value.replaceAll('"', '')]))
}
