import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { describePermissions } from '../server/describe-permissions.ts'
import { newSecrets, requestOf, type RunForm, secretNameFor } from './run-form.ts'
import { thvCommand } from './thv-command.ts'

/** What the button will do, before it is pressed. */
export function RunPlan({ form, entry }: { form: RunForm; entry: RegistryEntry | undefined }) {
  const request = requestOf(form, entry)
  const asked = entry?.permissions ?? { network: { outbound: { insecure_allow_all: true } } }
  const sentences = describePermissions({
    remote: form.source === 'remote' || (entry !== undefined && 'url' in entry),
    ...{ permission_profile: request.permission_profile ?? asked, volumes: request.volumes, secrets: request.secrets },
  })
  const fresh = newSecrets(form)
  const command = thvCommand(request)
  return (
    <section className="notice" aria-label="Plan">
      <h2>What will happen</h2>
      <ul className="plain-list">
        {fresh.length > 0 && (
          <li>Stores {listOf(fresh.map((each) => secretNameFor(form, each)))} in the secret store.</li>
        )}
        {sentences.map((sentence) => (
          <li key={sentence}>
            <ForeignText text={sentence} />
          </li>
        ))}
      </ul>
      {command !== undefined && <Code text={command} label="Copy the command that does the same" />}
    </section>
  )
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
