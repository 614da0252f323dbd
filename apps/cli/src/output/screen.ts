/** The part of a terminal in which a text is shown that changes. */
export interface Screen extends Disposable {
  /** Takes the place of what was shown before; without a terminal it follows it. */
  show(text: string): void
}

interface Terminal {
  write: (text: string) => unknown
  rows?: number
}

const ESCAPE = '\u001B['
const HIDE_CURSOR = `${ESCAPE}?25l`
const SHOW_CURSOR = `${ESCAPE}?25h`
/** A line that is too long is cut, and not continued in the next one: the number of lines stays known. */
const NO_WRAP = `${ESCAPE}?7l`
const WRAP = `${ESCAPE}?7h`
const ERASE_LINE = `${ESCAPE}K`
const USUAL_ROWS = 24
const ERASE_BELOW = `${ESCAPE}J`

/** Writes over the lines of before rather than erase them first, which would flicker. */
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

/** What scrolled out of the terminal could not be written over. */
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
