import { useId, useState } from 'react'
import { isObject } from '../schema/json-schema.ts'
import type { JsonObject } from './mcp-messages.ts'

export interface RawArgumentsProps {
  args: JsonObject
  onChange: (args: JsonObject) => void
  fault: string | undefined
  onFault: (fault: string | undefined) => void
}

/** The arguments as they will be sent. Form and text follow each other; what is typed here keeps its own line breaks. */
export function RawArguments({ args, onChange, fault, onFault }: RawArgumentsProps) {
  const id = useId()
  const [typed, setTyped] = useState({ text: '', args: {} })
  const isTyped = fault !== undefined || typed.args === args
  const type = (text: string) => {
    const read = readArguments(text)
    setTyped({ text, args: 'args' in read ? read.args : typed.args })
    onFault('fault' in read ? read.fault : undefined)
    if ('args' in read) onChange(read.args)
  }
  const shown = isTyped ? typed.text : JSON.stringify(args, undefined, 2)
  const rows = Math.min(Math.max(shown.split('\n').length + 1, 6), 24)
  return (
    <div className="field">
      <label htmlFor={id}>Raw JSON</label>
      <textarea
        {...{ id, rows, spellCheck: false, className: 'json' }}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        aria-invalid={fault !== undefined}
        value={shown}
        onChange={(event) => type(event.target.value)}
      />
      {fault !== undefined && (
        <span id={`${id}-fault`} className="fault" role="alert">
          {fault}
        </span>
      )}
    </div>
  )
}

function readArguments(text: string): { args: JsonObject } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(value) ? { args: { ...value } } : { fault: 'Arguments are an object, such as {"city": "Bern"}.' }
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}
