import { useQuery } from '@tanstack/react-query'
import { clientTitle } from '@toolhaven/contract/client-titles'
import { useState } from 'react'
import { docsAddress, docsLinks } from '../docs-links.ts'
import { discoveryQuery, groupsQuery, registryQuery, workloadsQuery } from '../queries.ts'
import { PLACES } from '../shell/places.ts'
import type { PaletteItem, PaletteSection } from './choose-items.ts'

/** Everything that the palette finds. Objects are those that the daemon knows. */
export function useItems(): PaletteItem[] {
  // As the page was when the palette opened: buttons that come later cannot be meant.
  const [onPage] = useState(actionsOfPage)
  const { data: servers = [] } = useQuery(workloadsQuery)
  const { data: groups = [] } = useQuery(groupsQuery)
  const { data: clients = [] } = useQuery(discoveryQuery)
  const { data: entries = [] } = useQuery(registryQuery)
  return [
    ...onPage,
    ...PLACES.map(({ label, to }) => place('Go to', label, to)),
    place('Go to', 'Run a server', '/run'),
    place('Go to', 'Import a server', '/run?json=true', 'from a file or pasted JSON'),
    place('Go to', 'Logs', '/logs', 'of several servers'),
    place('Go to', 'Adopt servers', '/adopt', 'of your clients'),
    place('Go to', 'Registry source', '/registry-source'),
    ...servers.map(({ name, status }) => place('Servers', name, `/servers/${encodeURIComponent(name)}`, status)),
    ...groups.map(({ name }) => place('Groups', name, `/servers?group=${encodeURIComponent(name)}`, 'its servers')),
    ...clients.map(({ client_type: name, installed }) =>
      place('Clients', clientTitle(name), `/clients/${name}`, installed ? '' : 'not installed here'),
    ),
    ...entries.map(({ name = '', description }) =>
      place('Registry', name, `/registry/${encodeURIComponent(name)}`, description),
    ),
    ...docsLinks(docsAddress).map(({ label, href }) => ({
      ...{ id: `docs ${label}`, section: 'Documentation' as const, label, detail: 'in a new tab' },
      leads: { outside: href },
    })),
  ]
}

function place(section: PaletteSection, label: string, to: string, detail = ''): PaletteItem {
  return { id: `${section} ${label}`, section, label, detail, leads: { to } }
}

/** Where pages put what can be done with what they show. */
const ACTIONS = ['.page-title', '[aria-label=Reason]'].map(
  (part) => `main ${part} :is(button:not(:disabled), a.button:not([target]))`,
)
const TABS = 'main nav.tabs a'

function actionsOfPage(): PaletteItem[] {
  const found = document.querySelectorAll<HTMLElement>([...ACTIONS, TABS].join(', '))
  const title = document.querySelector('main h1')?.firstChild?.textContent?.trim() ?? ''
  return [...found].map((element, at) => ({
    ...{ id: `action ${at}`, section: 'On this page' as const, detail: title },
    label: element.innerText.trim().replaceAll(/\s+/g, ' '),
    leads: { press: element },
  }))
}
