import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { registryQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { EMPTY_FORM, formOf, type RunForm } from './run-form.ts'
import { RunServerForm } from './RunServerForm.tsx'
import { PasteForm } from './PasteForm.tsx'

export const Route = createLazyRoute('/run')({ component: RunPage })
const here = getRouteApi('/run')

function RunPage() {
  const { server } = here.useSearch()
  const { data: all } = useQuery({ ...registryQuery, enabled: server !== undefined })
  if (server === undefined) return <RunAnything />
  if (!all) return <p className="muted">Asking the daemon …</p>
  const entry = all.find(({ name }) => name === server)
  if (!entry) return <Problem message={`The registry has no server ${server}.`} />
  return <RunEntry key={server} entry={entry} />
}

function RunEntry({ entry }: { entry: RegistryEntry }) {
  return (
    <>
      <PageTitle title={`Run ${entry.name}`} />
      <RunServerForm initial={formOf(entry)} entry={entry} />
    </>
  )
}

/** A package, an image, an address, or what somebody printed as JSON. */
function RunAnything() {
  const { image = '', url = '' } = here.useSearch()
  const [filled, setFilled] = useState<{ form: RunForm; version: number }>({
    form: { ...EMPTY_FORM, image, url, source: url === '' ? 'package' : 'remote' },
    version: 0,
  })
  return (
    <>
      <PageTitle title="Run a server" />
      <PasteForm onRead={(form) => setFilled(({ version }) => ({ form, version: version + 1 }))} />
      <RunServerForm key={filled.version} initial={filled.form} />
    </>
  )
}
