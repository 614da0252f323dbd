/** The area of a terminal that shows a changing text. */
export interface Screen extends Disposable {
  /** Replaces the previous text. Without a terminal, prints below it. */
  show(text: string): void
}

interface Terminal {
  write: (text: string) => unknown
  rows?: number
}

const ESCAPE = '\u001B['
const HIDE_CURSOR = `${ESCAPE}?25l`
const SHOW_CURSOR = `${ESCAPE}?25h`
/** Cuts long lines instead of wrapping them, so that the number of lines is known. */
const NO_WRAP = `${ESCAPE}?7l`
const WRAP = `${ESCAPE}?7h`
const ERASE_LINE = `${ESCAPE}K`
const USUAL_ROWS = 24
const ERASE_BELOW = `${ESCAPE}J`

/** Overwrites the previous lines instead of erasing them first, which would flicker. */
export function createScreen(terminal: Terminal): Screen {
  let shown = 0
  return {
    show(text) {
      const back = shown === 0 ? HIDE_CURSOR : `${ESCAPE}${shown}F`
      const lines = cut(text.split('\n'), terminal.rows)
      shown = lines.length
      terminal.write(`${back}${NO_WRAP}${lines.map((line) => `${line}${ERASE_LINE}\n`).join('')}${ERASE_BELOW}${WRAP}`)
    },
    [Symbol.dispose]: () => void (shown > 0 && terminal.write(SHOW_CURSOR)),
  }
}

/** Lines that scrolled out of the terminal cannot be overwritten. */
function cut(lines: readonly string[], rows = 0): readonly string[] {
  // Some terminals do not know how high they are and say 0.
  const room = Math.max(1, (rows || USUAL_ROWS) - 1)
  return lines.length <= room ? lines : [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more`]
}

/** For pipes and files: one text below the other. */
export function createRoll(write: (text: string) => void): Screen {
  let isFirst = true
  return {
    show(text) {
      write(`${isFirst ? '' : '\n'}${text}\n`)
      isFirst = false
    },
    [Symbol.dispose]: () => undefined,
  }
}
