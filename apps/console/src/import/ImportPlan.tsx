import { messageOf } from '../api.ts'
import { Differences } from '../edit/Differences.tsx'
import { flatDifferences } from '../edit/flat-differences.ts'
import { Code } from '../parts/Code.tsx'
import { permissionsOfPlan } from '../run/permissions-of-plan.ts'
import { InTheWay, NotTaken, Sentences, Stores } from '../run/PlanParts.tsx'
import { importCommand, type ImportSource, type ImportWish, targetsOf } from './import-wish.ts'
import { fieldsNotTaken } from './read-run-config.ts'
import type { useImport } from './use-import.ts'

interface ImportPlanProps {
  source: ImportSource
  wish: ImportWish
  of: ReturnType<typeof useImport>
}

/** What the button will do, as the daemon says before it is pressed, and what of the file it will not do. */
export function ImportPlan({ source, wish, of }: ImportPlanProps) {
  const { plan, error, isFetching, problems, missing, coming, call } = of
  const { configuration } = plan ?? {}
  const left = [...source.left, ...(configuration ? fieldsNotTaken(call.body, configuration) : [])]
  const lacking = missing.filter((name) => !coming.includes(name)).map((name) => `The secret ${name} needs a value.`)
  return (
    <section className="notice" aria-label="Plan" aria-busy={isFetching}>
      <h2>What will happen</h2>
      <NotTaken left={left} />
      <InTheWay problems={error ? [messageOf(error)] : [...lacking, ...problems.map(({ message }) => message)]} />
      <Stores keys={coming} />
      {configuration && (
        <Sentences
          label="Permissions"
          sentences={permissionsOfPlan(configuration, {
            secrets: targetsOf(configuration.secrets ?? []),
            headers_from_secrets: configuration.remote_auth_config?.headers_from_secrets,
          })}
        />
      )}
      {plan && (
        <Differences changes={flatDifferences(plan.differences.filter(({ field }) => field !== 'schema_version'))} />
      )}
      <Code text={importCommand(source, wish)} label="Copy the command that does the same" />
    </section>
  )
}
