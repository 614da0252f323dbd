import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router'
import { CLIENT_SEARCH, CLIENTS_SEARCH } from './clients/client-search.ts'
import { EDIT_SEARCH } from './edit/edit-search.ts'
import { LOGS_SEARCH, MERGED_LOGS_SEARCH } from './logs/logs-search.ts'
import { NETWORK_SEARCH } from './network/network-search.ts'
import { REGISTRY_SEARCH } from './registry/choose-entries.ts'
import type { RunForm } from './run/run-form.ts'
import { RUN_SEARCH } from './run/run-search.ts'
import { SECRETS_SEARCH } from './secrets/secrets-search.ts'
import { SERVERS_SEARCH } from './servers/servers-search.ts'
import { NoSuchPage, PageFault } from './shell/PageFault.tsx'
import { Shell } from './shell/Shell.tsx'
import { TRY_SEARCH } from './try/try-search.ts'

const root = createRootRouteWithContext<{ cache: QueryClient }>()({ component: Shell, notFoundComponent: NoSuchPage })

const home = createRoute({ getParentRoute: () => root, path: '/' }).lazy(() =>
  import('./home/HomePage.tsx').then((module) => module.Route),
)

const servers = createRoute({ getParentRoute: () => root, path: '/servers', validateSearch: SERVERS_SEARCH }).lazy(() =>
  import('./servers/ServersPage.tsx').then((module) => module.Route),
)

const server = createRoute({ getParentRoute: () => root, path: '/servers/$name' }).lazy(() =>
  import('./server/ServerPage.tsx').then((module) => module.Route),
)

const serverOverview = createRoute({ getParentRoute: () => server, path: '/' }).lazy(() =>
  import('./server/OverviewTab.tsx').then((module) => module.Route),
)

const serverTools = createRoute({ getParentRoute: () => server, path: '/tools' }).lazy(() =>
  import('./tools/ToolsTab.tsx').then((module) => module.Route),
)

const serverTry = createRoute({ getParentRoute: () => server, path: '/try', validateSearch: TRY_SEARCH }).lazy(() =>
  import('./try/TryTab.tsx').then((module) => module.Route),
)

const serverLogs = createRoute({ getParentRoute: () => server, path: '/logs', validateSearch: LOGS_SEARCH }).lazy(() =>
  import('./logs/LogsTab.tsx').then((module) => module.Route),
)

const serverConfiguration = createRoute({ getParentRoute: () => server, path: '/configuration' }).lazy(() =>
  import('./edit/ConfigurationTab.tsx').then((module) => module.Route),
)

const serverNetwork = createRoute({
  getParentRoute: () => server,
  path: '/network',
  validateSearch: NETWORK_SEARCH,
}).lazy(() => import('./network/NetworkTab.tsx').then((module) => module.Route))

const serverEdit = createRoute({
  getParentRoute: () => root,
  path: '/servers/$name/edit',
  validateSearch: EDIT_SEARCH,
}).lazy(() => import('./edit/EditPage.tsx').then((module) => module.Route))

const serverUpgrade = createRoute({ getParentRoute: () => root, path: '/servers/$name/upgrade' }).lazy(() =>
  import('./upgrade/UpgradePage.tsx').then((module) => module.Route),
)

const registry = createRoute({ getParentRoute: () => root, path: '/registry', validateSearch: REGISTRY_SEARCH }).lazy(
  () => import('./registry/RegistryPage.tsx').then((module) => module.Route),
)

const entry = createRoute({ getParentRoute: () => root, path: '/registry/$name' }).lazy(() =>
  import('./registry/EntryPage.tsx').then((module) => module.Route),
)

const run = createRoute({ getParentRoute: () => root, path: '/run', validateSearch: RUN_SEARCH }).lazy(() =>
  import('./run/RunPage.tsx').then((module) => module.Route),
)

const logs = createRoute({ getParentRoute: () => root, path: '/logs', validateSearch: MERGED_LOGS_SEARCH }).lazy(() =>
  import('./logs/MergedLogsPage.tsx').then((module) => module.Route),
)

const clients = createRoute({ getParentRoute: () => root, path: '/clients', validateSearch: CLIENTS_SEARCH }).lazy(() =>
  import('./clients/ClientsPage.tsx').then((module) => module.Route),
)

const client = createRoute({ getParentRoute: () => root, path: '/clients/$name', validateSearch: CLIENT_SEARCH }).lazy(
  () => import('./clients/ClientPage.tsx').then((module) => module.Route),
)

const secrets = createRoute({ getParentRoute: () => root, path: '/secrets', validateSearch: SECRETS_SEARCH }).lazy(() =>
  import('./secrets/SecretsPage.tsx').then((module) => module.Route),
)

const adopt = createRoute({ getParentRoute: () => root, path: '/adopt' }).lazy(() =>
  import('./adopt/AdoptPage.tsx').then((module) => module.Route),
)

const groups = createRoute({ getParentRoute: () => root, path: '/groups' }).lazy(() =>
  import('./groups/GroupsPage.tsx').then((module) => module.Route),
)

const settings = createRoute({ getParentRoute: () => root, path: '/settings' }).lazy(() =>
  import('./settings/SettingsPage.tsx').then((module) => module.Route),
)

const registrySource = createRoute({ getParentRoute: () => root, path: '/registry-source' }).lazy(() =>
  import('./registry/SourcePage.tsx').then((module) => module.Route),
)

const routeTree = root.addChildren([
  home,
  servers,
  server.addChildren([serverOverview, serverTools, serverTry, serverLogs, serverNetwork, serverConfiguration]),
  serverEdit,
  serverUpgrade,
  registry,
  entry,
  run,
  logs,
  clients,
  client,
  secrets,
  adopt,
  groups,
  settings,
  registrySource,
])

export function makeRouter(cache: QueryClient) {
  return createRouter({
    routeTree,
    context: { cache },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: PageFault,
    defaultNotFoundComponent: NoSuchPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
  interface HistoryState {
    /** What was typed for a call. It may be nothing for an address, which others see. */
    tryArguments?: Readonly<Record<string, unknown>>
    /** Tells a call that is tried again from what was typed before. */
    tryEdition?: number
    /** What was typed to run a server, without values of secrets. */
    runForm?: RunForm | undefined
  }
}
