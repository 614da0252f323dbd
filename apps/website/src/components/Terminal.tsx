import { type ReactElement, useEffect, useState } from 'react'
import styles from './Terminal.module.css'

interface Step {
  command: string
  output: string
}

const TICK_MS = 40
/** An output stays this many ticks before the next command is typed. */
const PAUSE = 25

/**
 * Plays a recorded run as text. What is still to come takes its place from the beginning, so that nothing moves; without
 * scripts, and for readers who want no motion, all of it is there at once.
 */
export default function Terminal({ steps }: { steps: readonly Step[] }): ReactElement {
  const length = steps.reduce((sum, { command }) => sum + command.length + PAUSE, 0)
  const [tick, setTick] = useState(length)
  const isPlaying = tick < length
  useEffect(() => {
    if (!window.matchMedia('(prefers-reduced-motion: reduce)').matches) setTick(0)
  }, [])
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setInterval(() => setTick((before) => before + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [isPlaying])
  let start = 0
  return (
    <figure className={styles.terminal} aria-label="A recorded run in a terminal">
      <figcaption className={styles.bar}>
        <span>Terminal</span>
        <button type="button" onClick={() => setTick(isPlaying ? length : 0)}>
          {isPlaying ? 'Show all' : 'Play again'}
        </button>
      </figcaption>
      {/* The text is longer than the window on a phone: keys must reach it too. */}
      <pre tabIndex={0}>
        {steps.map(({ command, output }) => {
          const typed = Math.max(0, tick - start)
          start += command.length + PAUSE
          return (
            <span key={command} className={styles.step}>
              <span className={typed > 0 ? styles.prompt : styles.coming}>$ </span>
              <span className={styles.command}>{command.slice(0, typed)}</span>
              <span className={styles.coming}>{command.slice(typed)}</span>
              <span className={typed > command.length ? styles.output : styles.coming}>{`\n${output}\n\n`}</span>
            </span>
          )
        })}
      </pre>
    </figure>
  )
}
