import { getRouteApi, Link, useLocation } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { ForeignText } from '../parts/ForeignText.tsx'
import { type Fault, findFaults } from '../schema/find-faults.ts'
import { propertiesOf } from '../schema/form-field.ts'
import { initialArguments } from '../schema/initial-value.ts'
import { resolveSchema } from '../schema/json-schema.ts'
import { SchemaForm } from '../schema/SchemaForm.tsx'
import { CallCommands } from './CallCommands.tsx'
import type { JsonObject } from './mcp-messages.ts'
import type { Offer } from './offers.ts'
import { RawArguments } from './RawArguments.tsx'
import { VERBS } from './requests.ts'
import type { TryDesk } from './try-desk.ts'

const here = getRouteApi('/servers/$name/try')

export interface OfferFormProps {
  server: WorkloadDetails
  desk: TryDesk
  offer: Offer
}

/** The form of what is tried, its arguments as JSON, and the button. */
export function OfferForm({ server, desk, offer }: OfferFormProps) {
  const { kind, id, schema } = offer
  const kept = useLocation({ select: ({ state }) => state.tryArguments })
  const [args, setArgs] = useState<JsonObject>(() => ({ ...(kept ?? initialArguments(schema)) }))
  const [rawFault, setRawFault] = useState<string>()
  const [isChecked, setIsChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useKeptArguments(args)
  const faults = isChecked ? findFaults({ type: 'object', ...schema }, args, schema) : []
  const change = (next: JsonObject) => {
    setArgs(next)
    setRawFault(undefined)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (rawFault !== undefined || findFaults({ type: 'object', ...schema }, args, schema).length > 0)
      // The fields learn of it first.
      return void setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    void desk.run(offer, args)
  }
  const isPlain = kind !== 'tool' && propertiesOf(resolveSchema(schema, schema)).length === 0
  return (
    <form ref={form} className="panel" aria-label={`Try ${id}`} onSubmit={submit} noValidate>
      <Link className="choose-another" to="/servers/$name/try" params={{ name: server.name }} search={{}}>
        Choose another
      </Link>
      <OfferHead offer={offer} />
      {!isPlain && (
        <div className="arguments">
          <div className="fields">
            <SchemaForm schema={schema} value={args} onChange={change} faults={faults} />
            {propertiesOf(resolveSchema(schema, schema)).length === 0 && (
              <p className="muted">It takes no arguments.</p>
            )}
          </div>
          <RawArguments args={args} onChange={setArgs} fault={rawFault} onFault={setRawFault} />
        </div>
      )}
      {faults.length > 0 && rawFault === undefined && (
        <Faults faults={faults} onSend={() => void desk.run(offer, args)} />
      )}
      <div className="actions">
        <button type="submit" className="primary">
          {VERBS[kind]}
        </button>
        <CallCommands {...{ server, kind, args }} item={id} />
      </div>
    </form>
  )
}

function OfferHead({ offer: { id, title, description } }: { offer: Offer }) {
  return (
    <>
      <h2>
        <ForeignText text={id} />
      </h2>
      {title !== undefined && title !== id && (
        <p className="muted">
          <ForeignText text={title} />
        </p>
      )}
      {description !== undefined && (
        <p className="said">
          <ForeignText text={description} />
        </p>
      )}
    </>
  )
}

/** The server decides what fits; who tests it may want to see that it does. */
function Faults({ faults, onSend }: { faults: readonly Fault[]; onSend: () => void }) {
  return (
    <div className="notice warning" role="alert">
      <ul className="plain-list">
        {faults.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>
              <ForeignText text={path.slice(1).replaceAll('/', '.') || 'The arguments'} />
            </code>{' '}
            {message}
          </li>
        ))}
      </ul>
      <div className="actions">
        <button type="button" className="small" onClick={onSend}>
          Send it as it is
        </button>
      </div>
    </div>
  )
}

const PAUSE_MS = 300

/** What is typed stays over a reload and the way back, a moment after the last key. */
function useKeptArguments(args: JsonObject): void {
  const navigate = here.useNavigate()
  const first = useRef(args)
  useEffect(() => {
    if (first.current === args) return undefined
    const keep = () =>
      void navigate({
        search: (before) => before,
        state: (before) => ({ ...before, tryArguments: args }),
        ...{ replace: true, resetScroll: false },
      })
    const timer = setTimeout(keep, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [args, navigate])
}
