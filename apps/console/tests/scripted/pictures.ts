import type { Page } from 'playwright-core'

/** A picture of the console in the documentation. */
export interface Picture {
  name: string
  route: string
  /** A text that the page has when it is complete. */
  shows: string
  /** What a person did before it was taken. */
  prepare?: (page: Page) => Promise<void>
}

export const PICTURES: readonly Picture[] = [
  { name: 'home', route: '/', shows: 'redis' },
  { name: 'servers', route: '/servers', shows: 'calculator' },
  { name: 'failed-server', route: '/servers/redis', shows: 'connection refused' },
  { name: 'registry-entry', route: '/registry/tavily', shows: 'TAVILY_API_KEY' },
  { name: 'run', route: '/run?server=tavily', shows: 'Goes to the secret store' },
  {
    name: 'try',
    route: '/servers/time/try?tool=get_current_time',
    shows: 'convert_time',
    prepare: async (page) => {
      await page.getByLabel(/^timezone/).fill('Asia/Tokyo')
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByText('2026-01-01T09:00:00+09:00').first().waitFor()
    },
  },
  { name: 'changed-tools', route: '/servers/notion/tools', shows: 'delete_page' },
  { name: 'network', route: '/servers/notion/network', shows: 'telemetry.example.com' },
  { name: 'clients', route: '/clients', shows: 'Claude Code' },
  { name: 'secrets', route: '/secrets', shows: 'tavily-key' },
]
