import '../css/palette.css'
import { useState } from 'react'
import { ModalSheet } from './ModalSheet.tsx'
import { KEYS } from './keys.ts'
import { keepSingleKeys, usesSingleKeys } from './single-keys.ts'

export function KeySheet({ onClose }: { onClose: () => void }) {
  const [isOn, setIsOn] = useState(usesSingleKeys)
  const set = (next: boolean) => {
    keepSingleKeys(next)
    setIsOn(next)
  }
  return (
    <ModalSheet label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl className="facts">
        {KEYS.map(({ keys, does, isSingle }) => (
          <div key={does} className={isSingle && !isOn ? 'fact muted' : 'fact'}>
            <dt>
              {keys.map((key, at) => (
                <span key={key}>
                  {at > 0 && ' or '}
                  <kbd>{key}</kbd>
                </span>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="choice-line">
        <input type="checkbox" checked={isOn} onChange={(event) => set(event.target.checked)} />
        Use keys without Ctrl or ⌘
      </label>
      <form method="dialog" className="actions">
        <button type="submit">Close</button>
      </form>
    </ModalSheet>
  )
}
