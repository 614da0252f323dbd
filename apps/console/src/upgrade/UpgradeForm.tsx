import { useQuery } from '@tanstack/react-query'
import type { UpgradePlan } from '@toolhaven/contract/upgrades'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { Differences } from '../edit/Differences.tsx'
import { flatDifferences } from '../edit/flat-differences.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { workloadsQuery } from '../queries.ts'
import { InTheWay, Sentences, Stores } from '../run/PlanParts.tsx'
import { TextField } from '../run/TextField.tsx'
import { newVariables, NO_WISH, problemsLeft, requestOf, secretsOf, upgradeCommand } from './upgrade-wish.ts'
import { UpgradeOutcome } from './UpgradeOutcome.tsx'
import { useUpgrade } from './use-upgrade.ts'

/** What the newer version changes and needs, then the button. */
export function UpgradeForm({ plan }: { plan: UpgradePlan }) {
  const { name, from, to = '', differences, restarts } = plan
  const [wish, setWish] = useState(NO_WISH)
  const upgrading = useUpgrade(plan)
  const request = requestOf(plan, wish)
  const added = newVariables(plan)
  if (upgrading.data) return <UpgradeOutcome result={upgrading.data} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    upgrading.mutate(wish)
  }
  return (
    <form className="form" onSubmit={submit} aria-label={`Upgrade ${name}`}>
      {added.length > 0 && (
        <fieldset className="panel">
          <legend>What the new version needs</legend>
          {added.map((variable) => (
            <TextField
              key={variable.name}
              label={variable.name}
              help={variable.secret ? `${variable.description} (goes to the secret store)` : variable.description}
              type={variable.secret ? 'password' : 'text'}
              value={wish.values[variable.name] ?? ''}
              isRequired={variable.required}
              onChange={(value) => setWish({ ...wish, values: { ...wish.values, [variable.name]: value } })}
            />
          ))}
        </fieldset>
      )}
      <Confirmations plan={plan} wish={wish} onChange={(part) => setWish({ ...wish, ...part })} />
      <section className="notice" aria-label="Plan">
        <h2>
          From <ForeignText text={from ?? 'no version'} /> to <ForeignText text={to} />
        </h2>
        <InTheWay problems={problemsLeft(plan, wish).map(({ message }) => message)} />
        <Stores keys={[...secretsOf(plan, wish).values()]} />
        {differences.length > 0 && <Differences changes={flatDifferences(differences)} />}
        <Sentences label="Consequences" sentences={consequences(plan, restarts)} />
        <Code text={upgradeCommand(plan, request)} label="Copy the command that does the same" />
      </section>
      {upgrading.error && <Problem message={messageOf(upgrading.error)} />}
      {upgrading.isPending && <Progress name={name} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={upgrading.isPending}>
          Upgrade
        </button>
      </div>
    </form>
  )
}

function consequences({ variables, tools }: UpgradePlan, restarts: boolean): string[] {
  const gone = variables.filter(({ change }) => change === 'removed').map(({ name }) => name)
  return [
    ...(gone.length > 0 ? [`It no longer reads ${listOf(gone)}.`] : []),
    ...(tools ?? []).map(({ name, change }) =>
      change === 'added' ? `New tool ${name}.` : `The tool ${name} is gone.`,
    ),
    ...(tools === undefined ? ['Once it runs, its tools are compared with the accepted ones.'] : []),
    restarts ? 'The server restarts, and its address stays.' : 'The server is started for it and stopped again.',
    'If the new version does not start, the previous one runs again, and you see why.',
  ]
}

const listOf = (names: readonly string[]) => new Intl.ListFormat('en').format(names)

const CONFIRMATIONS = [
  { part: 'acceptNetwork', field: 'accept_network', label: 'Allow what it asks for of the network' },
  { part: 'acceptMounts', field: 'accept_mounts', label: 'Allow the files that it asks for' },
] as const

interface ConfirmationsProps {
  plan: UpgradePlan
  wish: typeof NO_WISH
  onChange: (part: Partial<typeof NO_WISH>) => void
}

/** What a registry asks for opens nothing of this machine unless a person allows it. */
function Confirmations({ plan: { problems }, wish, onChange }: ConfirmationsProps) {
  const asked = CONFIRMATIONS.filter(({ field }) => problems.some((problem) => problem.field === field))
  if (asked.length === 0) return null
  return (
    <fieldset className="panel">
      <legend>To confirm</legend>
      {asked.map(({ part, label }) => (
        <label key={part} className="choice-line">
          <input
            type="checkbox"
            required
            checked={wish[part]}
            onChange={(event) => onChange({ [part]: event.target.checked })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}

/** As the daemon reports the start. */
function Progress({ name }: { name: string }) {
  const { data: servers = [] } = useQuery(workloadsQuery)
  const server = servers.find((each) => each.name === name)
  return (
    <p role="status">
      Upgrading {name} …{' '}
      <span className="muted">
        <ForeignText text={server?.status_context ?? ''} />
      </span>
    </p>
  )
}
