import type { Page } from 'playwright-core'

/** A picture of the console in the documentation. */
export interface Picture {
  name: string
  route: string
  /** What a person did before it was taken. */
  prepare?: (page: Page) => Promise<void>
}

export const PICTURES: readonly Picture[] = [
  { name: 'home', route: '/' },
  { name: 'servers', route: '/servers' },
  { name: 'failed-server', route: '/servers/redis' },
  { name: 'registry-entry', route: '/registry/tavily' },
  { name: 'run', route: '/run?server=tavily' },
  {
    name: 'try',
    route: '/servers/time/try?tool=get_current_time',
    prepare: async (page) => {
      await page.getByLabel(/^timezone/).fill('Asia/Tokyo')
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByText('2026-01-01T09:00:00+09:00').first().waitFor()
    },
  },
  { name: 'changed-tools', route: '/servers/notion/tools' },
  { name: 'network', route: '/servers/notion/network' },
  { name: 'clients', route: '/clients' },
  { name: 'secrets', route: '/secrets' },
]
