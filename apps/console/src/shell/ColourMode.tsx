import { useEffect, useState } from 'react'

type Choice = 'system' | 'light' | 'dark'

const KEY = 'toolhaven.colour-mode'
const CHOICES: readonly { choice: Choice; label: string }[] = [
  { choice: 'system', label: 'As the system' },
  { choice: 'light', label: 'Light' },
  { choice: 'dark', label: 'Dark' },
]

/** The one thing that the console keeps in the browser. public/console-start.js reads it before the first paint. */
export function ColourMode() {
  const [choice, setChoice] = useState(readChoice)
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const paint = () => {
      const isDark = choice === 'dark' || (choice === 'system' && system.matches)
      document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
    }
    paint()
    system.addEventListener('change', paint)
    return () => system.removeEventListener('change', paint)
  }, [choice])
  const choose = (value: string) => {
    const next = CHOICES.find((known) => known.choice === value)?.choice ?? 'system'
    localStorage.setItem(KEY, next)
    setChoice(next)
  }
  return (
    <label className="colour-mode">
      <span className="only-read-aloud">Colours</span>
      <select value={choice} onChange={(event) => choose(event.target.value)}>
        {CHOICES.map((known) => (
          <option key={known.choice} value={known.choice}>
            {known.label}
          </option>
        ))}
      </select>
    </label>
  )
}

function readChoice(): Choice {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
