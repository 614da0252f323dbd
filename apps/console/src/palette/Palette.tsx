import '../css/palette.css'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { chooseItems, type PaletteItem } from './choose-items.ts'
import { ModalSheet } from './ModalSheet.tsx'
import { useItems } from './use-items.ts'

/** Finds what the page can do, then what there is, then what is written about it. A combobox with its list always open. */
export function Palette({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const items = chooseItems(useItems(), text)
  const chosen = items[Math.min(at, items.length - 1)]
  const optionId = (item: PaletteItem) => `${id}-${item.id.replaceAll(/[^\w-]/g, (mark) => `_${mark.codePointAt(0)}`)}`
  const choose = ({ leads }: PaletteItem) => {
    // First of all: a dialog that the action opens takes the focus from where the palette gives it back to.
    field.current?.closest('dialog')?.close()
    if ('press' in leads) leads.press.click()
    else if ('to' in leads) router.history.push(leads.to)
    else open(leads.outside, '_blank', 'noreferrer')
  }
  const move = (to: number) => {
    const next = (to + items.length) % (items.length || 1)
    setAt(next)
    const item = items[next]
    if (item) document.querySelector(`#${CSS.escape(optionId(item))}`)?.scrollIntoView({ block: 'nearest' })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Enter' && chosen) choose(chosen)
    else return
    event.preventDefault()
  }
  return (
    <ModalSheet label="Find" onClose={onClose}>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Find an action, an object or a page"
        aria-expanded={items.length > 0}
        aria-autocomplete="list"
        aria-controls={items.length > 0 ? id : undefined}
        aria-activedescendant={chosen && optionId(chosen)}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <p role="status" className={items.length > 0 ? 'only-read-aloud' : 'muted'}>
        {items.length > 0 ? `${items.length} found` : 'Nothing matches these words.'}
      </p>
      <FoundList
        {...{ id, items, chosen, optionId }}
        onPoint={(item) => setAt(items.indexOf(item))}
        onChoose={choose}
      />
    </ModalSheet>
  )
}

interface FoundListProps {
  id: string
  items: readonly PaletteItem[]
  chosen: PaletteItem | undefined
  optionId: (item: PaletteItem) => string
  onPoint: (item: PaletteItem) => void
  onChoose: (item: PaletteItem) => void
}

function FoundList({ id, items, chosen, optionId, onPoint, onChoose }: FoundListProps) {
  if (items.length === 0) return null
  return (
    <div role="listbox" id={id} aria-label="Found" className="found">
      {[...Map.groupBy(items, ({ section }) => section)].map(([section, members]) => (
        <div key={section} role="group" aria-label={section}>
          <p aria-hidden="true" className="found-section">
            {section}
          </p>
          {members.map((item) => (
            <button
              key={item.id}
              type="button"
              role="option"
              id={optionId(item)}
              aria-selected={item === chosen}
              tabIndex={-1}
              onPointerMove={() => onPoint(item)}
              onClick={() => onChoose(item)}
            >
              <ForeignText text={item.label} />
              <span className="found-detail">
                <ForeignText text={item.detail} />
              </span>
            </button>
          ))}
        </div>
      ))}
    </div>
  )
}
