import type { IconName } from './Icon.tsx'

export interface Place {
  to: '/' | '/servers' | '/registry' | '/clients' | '/secrets' | '/groups' | '/settings'
  label: string
  icon: IconName
}

export const PLACES: readonly Place[] = [
  { to: '/', label: 'Home', icon: 'home' },
  { to: '/servers', label: 'Servers', icon: 'servers' },
  { to: '/registry', label: 'Registry', icon: 'registry' },
  { to: '/clients', label: 'Clients', icon: 'clients' },
  { to: '/secrets', label: 'Secrets', icon: 'secrets' },
  { to: '/groups', label: 'Groups', icon: 'groups' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
]
