import { chooseColours, COLOUR_CHOICES, useColourChoice } from '../shell/colour-choice.ts'

export function ColoursSection() {
  const chosen = useColourChoice()
  return (
    <fieldset className="panel">
      <legend>Colours</legend>
      {COLOUR_CHOICES.map(({ choice, label }) => (
        <label key={choice} className="choice-line">
          <input type="radio" name="colours" checked={chosen === choice} onChange={() => chooseColours(choice)} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
