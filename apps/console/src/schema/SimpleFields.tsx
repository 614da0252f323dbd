import { useId, useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { visibleText } from '../parts/split-hidden.ts'
import { describedBy, FieldFrame, FieldNotes } from './FieldFrame.tsx'
import { faultAt, type KindProps } from './field-props.ts'

export function TextInput({ label, field, value, onChange, path, faults, isRequired }: KindProps<'text'>) {
  const id = useId()
  const fault = faultAt(faults, path)
  const shared = {
    ...{ id, value: textOf(value), spellCheck: false, autoComplete: 'off', ...describedBy(id, field.help, fault) },
    'aria-required': isRequired,
  }
  // An empty text is left out. Raw JSON can say one.
  const type = (text: string) => onChange(text === '' ? undefined : text)
  return (
    <FieldFrame {...{ id, label, fault, isRequired }} help={field.help}>
      {field.isLong || shared.value.includes('\n') ? (
        <textarea {...shared} rows={4} onChange={(event) => type(event.target.value)} />
      ) : (
        <input {...shared} type={field.isSecret ? 'password' : 'text'} onChange={(event) => type(event.target.value)} />
      )}
    </FieldFrame>
  )
}

/** Text that is not a number yet stays as typed, and is marked as wrong. */
export function NumberField({ label, field, value, onChange, path, faults, isRequired }: KindProps<'number'>) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const fault = faultAt(faults, path)
  return (
    <FieldFrame {...{ id, label, fault, isRequired }} help={field.help}>
      <input
        {...{ id, autoComplete: 'off', ...describedBy(id, field.help, fault) }}
        inputMode="decimal"
        aria-required={isRequired}
        // “1.” and “1” are one number, and two things to type.
        value={numberOf(typed) === value ? typed : textOf(value)}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange(numberOf(event.target.value))
        }}
      />
    </FieldFrame>
  )
}

function numberOf(text: string): number | string | undefined {
  if (text.trim() === '') return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

export function FlagField({ label, field, value, onChange, path, faults, isRequired }: KindProps<'flag'>) {
  const id = useId()
  const fault = faultAt(faults, path)
  if (isRequired || typeof value === 'boolean')
    return (
      <div className="field">
        <label className="choice-line">
          <input
            {...{ id, type: 'checkbox', ...describedBy(id, field.help, fault) }}
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          <ForeignText text={label} />
        </label>
        {!isRequired && (
          <div>
            <button type="button" className="small quiet" onClick={() => onChange(undefined)}>
              <ForeignText text={`Leave out ${label}`} />
            </button>
          </div>
        )}
        <FieldNotes id={id} help={field.help} fault={fault} />
      </div>
    )
  const options = [true, false].map((each) => ({ value: each, label: String(each) }))
  return (
    <ChoiceField
      {...{ label, value, onChange, path, faults, isRequired }}
      schema={{}}
      root={{}}
      depth={0}
      field={{ ...field, kind: 'choice', options }}
    />
  )
}

export function ChoiceField({ label, field, value, onChange, path, faults, isRequired }: KindProps<'choice'>) {
  const id = useId()
  const fault = faultAt(faults, path)
  const { help, options } = field
  const chosen = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value))
  return (
    <FieldFrame {...{ id, label, fault, isRequired, help }}>
      <select
        {...{ id, ...describedBy(id, help, fault) }}
        aria-required={isRequired}
        value={chosen}
        onChange={(event) => onChange(options[Number(event.target.value)]?.value)}
      >
        <option value={-1}>{value === undefined ? (isRequired ? 'Choose one' : 'Not set') : 'Something else'}</option>
        {options.map((option, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a server may give one name to several
          <option key={at} value={at}>
            {visibleText(option.label)}
          </option>
        ))}
      </select>
    </FieldFrame>
  )
}

/** Several of a few. */
export function ChoicesField({ label, field, value, onChange, path, faults, isRequired }: KindProps<'choices'>) {
  const id = useId()
  const texts = (Array.isArray(value) ? value : []).map((each) => JSON.stringify(each))
  const toggle = (option: unknown) => {
    const isChosen = texts.includes(JSON.stringify(option))
    const next = field.options.filter(({ value: each }) =>
      JSON.stringify(each) === JSON.stringify(option) ? !isChosen : texts.includes(JSON.stringify(each)),
    )
    onChange(next.length === 0 && !isRequired ? undefined : next.map((each) => each.value))
  }
  return (
    <fieldset className="nested" aria-describedby={field.help === '' ? undefined : `${id}-help`}>
      <legend>
        <ForeignText text={label} />
        {isRequired && <span className="muted"> (required)</span>}
      </legend>
      {field.options.map((option) => (
        <label key={JSON.stringify(option.value)} className="choice-line">
          <input
            type="checkbox"
            checked={texts.includes(JSON.stringify(option.value))}
            onChange={() => toggle(option.value)}
          />
          <ForeignText text={option.label} />
        </label>
      ))}
      <FieldNotes id={id} help={field.help} fault={faultAt(faults, path)} />
    </fieldset>
  )
}

/** Text that is not JSON counts as a string, so it needs no quotes. */
export function JsonField({ label, field, value, onChange, path, faults, isRequired }: KindProps<'json'>) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const fault = faultAt(faults, path)
  const isTyped = JSON.stringify(jsonOf(typed)) === JSON.stringify(value)
  return (
    <FieldFrame {...{ id, label, fault, isRequired }} help={field.help}>
      <textarea
        {...{ id, rows: 3, spellCheck: false, className: 'json', ...describedBy(id, field.help, fault) }}
        aria-required={isRequired}
        placeholder="JSON"
        value={isTyped ? typed : (JSON.stringify(value, undefined, 2) ?? '')}
        onChange={(event) => {
          setTyped(event.target.value)
          onChange(jsonOf(event.target.value))
        }}
      />
    </FieldFrame>
  )
}

function jsonOf(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
