import type { RegistryInfo } from '@toolhaven/contract/registry'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { TextField } from '../run/TextField.tsx'
import { sourceCommand, type SourceWish, wishFrom } from './source-wish.ts'
import { useSetSource, useTestSource } from './use-source.ts'

const TYPES: readonly { type: SourceWish['type']; label: string }[] = [
  { type: 'default', label: 'The one that is built into Toolhaven' },
  { type: 'url', label: 'An address' },
  { type: 'file', label: 'A file on the machine of the daemon' },
]

/** What was typed stays, whatever becomes of it. */
export function SourceForm({ current }: { current: RegistryInfo | undefined }) {
  const [wish, setWish] = useState(() => wishFrom(current))
  const setting = useSetSource()
  const testing = useTestSource()
  const isBusy = setting.isPending || testing.isPending
  const change = (part: Partial<SourceWish>) => {
    setWish({ ...wish, ...part })
    // What is said below is about what was there before.
    setting.reset()
    testing.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    testing.reset()
    setting.mutate(wish)
  }
  const test = () => {
    setting.reset()
    testing.mutate(wish)
  }
  const isEmpty = wish.type !== 'default' && wish.text.trim() === ''
  const error = setting.error ?? testing.error
  return (
    <form className="form panel" onSubmit={submit} aria-label="Change the source">
      <h2>Change the source</h2>
      <SourceFields wish={wish} onChange={change} />
      {error && <Problem message={messageOf(error)} />}
      {!isEmpty && <Code text={sourceCommand(wish)} label="Copy the command that does the same" />}
      <div className="actions">
        <button type="submit" className="primary" disabled={isBusy || isEmpty}>
          {wish.type === 'default' ? 'Use the built-in registry' : 'Use this source'}
        </button>
        <button type="button" disabled={isBusy || isEmpty} onClick={test}>
          Test
        </button>
        <span role="status" className="muted">
          {isBusy && 'Reading the registry …'}
          <ForeignText text={setting.data?.message ?? (testing.data ? whatWasFound(testing.data) : '')} />
        </span>
      </div>
    </form>
  )
}

interface SourceFieldsProps {
  wish: SourceWish
  onChange: (part: Partial<SourceWish>) => void
}

function SourceFields({ wish, onChange }: SourceFieldsProps) {
  return (
    <>
      <fieldset className="plain-fieldset">
        <legend>Where servers come from</legend>
        {TYPES.map(({ type, label }) => (
          <label key={type} className="choice-line">
            <input type="radio" name="source-type" checked={wish.type === type} onChange={() => onChange({ type })} />
            {label}
          </label>
        ))}
      </fieldset>
      {wish.type === 'url' && (
        <>
          <TextField label="Address" type="url" value={wish.text} isRequired onChange={(text) => onChange({ text })} />
          <label className="choice-line">
            <input
              type="checkbox"
              checked={wish.allowsPrivate}
              onChange={(event) => onChange({ allowsPrivate: event.target.checked })}
            />
            The address may be on this machine or its network
          </label>
        </>
      )}
      {wish.type === 'file' && (
        <TextField
          label="File"
          help="An absolute path"
          value={wish.text}
          isRequired
          onChange={(text) => onChange({ text })}
        />
      )}
    </>
  )
}

function whatWasFound({ server_count: count, version }: RegistryInfo): string {
  return `It can be used: ${count === 1 ? '1 server' : `${count} servers`}, version ${version}. Nothing was changed.`
}
