import type { Backend } from '@toolhaven/core/ports/gateway'
import type { GatewayLimits } from '../../endpoint/options.ts'
import type { Authorizer } from '../../http/client/authorizer.ts'
import type { Vetting } from '../../http/client/vetted-lookup.ts'
import type { Session } from '../../sessions/session.ts'
import type { ListChanged } from '../../tools/locked-lists.ts'

export interface HttpBackendOptions {
  name: string
  backend: Extract<Backend, { kind: 'http' }>
  limits: GatewayLimits
  authorizer?: Authorizer | undefined
  ownAddresses?: Vetting['ownAddresses']
  sessions: () => Iterable<Session>
  onStored: () => void
  onLost: (reason: string) => void
  /** The tools have changed, as this session sees them. */
  onListChanged?: ListChanged | undefined
}
