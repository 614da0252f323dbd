import { MOST_FOLLOWED } from '@toolhaven/contract/system'

export interface ServerChoiceProps {
  known: readonly string[]
  chosen: readonly string[]
  colours: ReadonlyMap<string, number>
  onChoose: (names: readonly string[]) => void
}

/** Whose lines are shown. */
export function ServerChoice({ known, chosen, colours, onChoose }: ServerChoiceProps) {
  const toggle = (name: string, isChosen: boolean) =>
    onChoose(known.filter((each) => (each === name ? isChosen : chosen.includes(each))))
  const isFull = chosen.length >= MOST_FOLLOWED
  return (
    <fieldset className="panel">
      <legend>Servers</legend>
      <div className="log-servers">
        {known.map((name) => {
          const isChosen = chosen.includes(name)
          return (
            <label key={name} className="choice-line">
              <input
                type="checkbox"
                checked={isChosen}
                disabled={isFull && !isChosen}
                onChange={(event) => toggle(name, event.target.checked)}
              />
              <span className={isChosen ? `log-name colour-${colours.get(name) ?? 0}` : ''}>{name}</span>
            </label>
          )
        })}
      </div>
      {known.length > MOST_FOLLOWED && (
        <p className="muted">At most {MOST_FOLLOWED} servers are shown at a time. Choose which.</p>
      )}
      <div className="actions">
        <button type="button" className="small" onClick={() => onChoose(known.slice(0, MOST_FOLLOWED))}>
          Choose all
        </button>
        <button type="button" className="small" onClick={() => onChoose([])}>
          Choose none
        </button>
      </div>
    </fieldset>
  )
}
