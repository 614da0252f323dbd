interface ChoicesProps<Choice extends string> {
  /** The same for all radio buttons of the group. */
  name: string
  choices: readonly { choice: Choice; label: string }[]
  chosen: Choice
  onChoose: (choice: Choice) => void
}

/** One of several, each on its own line. */
export function Choices<Choice extends string>({ name, choices, chosen, onChoose }: ChoicesProps<Choice>) {
  return choices.map(({ choice, label }) => (
    <label key={choice} className="choice-line">
      <input type="radio" name={name} checked={chosen === choice} onChange={() => onChoose(choice)} />
      {label}
    </label>
  ))
}
