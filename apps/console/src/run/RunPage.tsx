import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ImportForm } from '../import/ImportForm.tsx'
import type { ImportSource } from '../import/import-wish.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { PageWithoutData } from '../parts/PageWithoutData.tsx'
import { registryQuery } from '../queries.ts'
import type { RegistryEntry } from '../registry/choose-entries.ts'
import { PasteForm } from './PasteForm.tsx'
import type { ReadJson } from './read-json.ts'
import { EMPTY_FORM, formOf, type RunForm } from './run-form.ts'
import { RunServerForm } from './RunServerForm.tsx'
import { useKeepForm, useKeptForm } from './use-kept-form.ts'

export const Route = createLazyRoute('/run')({ component: RunPage })
const here = getRouteApi('/run')

function RunPage() {
  const { server } = here.useSearch()
  const { data: all, error } = useQuery({ ...registryQuery, enabled: server !== undefined })
  if (server === undefined) return <RunAnything />
  if (!all) return <PageWithoutData title={`Run ${server}`} error={error} />
  const entry = all.find(({ name }) => name === server)
  if (!entry)
    return (
      <>
        <PageTitle title="No such entry" />
        <p>
          The registry has no server <ForeignText text={server} />.{' '}
          <Link to="/registry" search={{ q: server }}>
            Search for it
          </Link>
          .
        </p>
      </>
    )
  return <RunEntry key={server} entry={entry} />
}

function RunEntry({ entry }: { entry: RegistryEntry }) {
  const kept = useKeptForm()
  return (
    <>
      <PageTitle title={`Run ${entry.name}`} />
      <RunServerForm initial={kept ?? formOf(entry)} entry={entry} />
    </>
  )
}

/** A package, an image, an address, or what somebody wrote as JSON. */
function RunAnything() {
  const { image = '', url = '', json = false } = here.useSearch()
  const kept = useKeptForm()
  const keep = useKeepForm()
  const [filled, setFilled] = useState<{ form: RunForm; version: number }>({
    form: kept ?? { ...EMPTY_FORM, image, url, source: url === '' ? 'package' : 'remote' },
    version: 0,
  })
  const [source, setSource] = useState<ImportSource>()
  const read = (found: ReadJson) => {
    if (found.kind === 'import') return setSource(found.source)
    setFilled(({ version }) => ({ form: found.form, version: version + 1 }))
    keep(found.form)
  }
  if (source)
    return (
      <>
        <PageTitle title={`Import ${source.config.name}`} />
        <ImportForm source={source} onBack={() => setSource(undefined)} />
      </>
    )
  return (
    <>
      <PageTitle title="Run a server" />
      <PasteForm isOpen={json} onRead={read} />
      <RunServerForm key={filled.version} initial={filled.form} />
    </>
  )
}
