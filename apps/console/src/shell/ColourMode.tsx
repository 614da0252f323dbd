import { useEffect } from 'react'
import { chooseColours, COLOUR_CHOICES, useColourChoice } from './colour-choice.ts'

/** The choice of colours, which it also paints. */
export function ColourMode() {
  const choice = useColourChoice()
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
  return (
    <label className="colour-mode">
      <span className="only-read-aloud">Colours</span>
      <select value={choice} onChange={(event) => chooseColours(event.target.value)}>
        {COLOUR_CHOICES.map((known) => (
          <option key={known.choice} value={known.choice}>
            {known.label}
          </option>
        ))}
      </select>
    </label>
  )
}
