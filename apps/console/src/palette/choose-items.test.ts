import { expect, test } from 'vitest'
import { chooseItems, type PaletteItem, type PaletteSection } from './choose-items.ts'

const item = (section: PaletteSection, label: string, detail = ''): PaletteItem => ({
  ...{ id: `${section} ${label}`, section, label, detail },
  leads: { to: '/' },
})
const labels = (found: readonly PaletteItem[]) => found.map(({ label }) => label)

test('every word must be there, and the page comes before objects, and they before documents', () => {
  const all = [
    item('Documentation', 'Manage secrets'),
    item('Servers', 'my-github', 'running'),
    item('Servers', 'github', 'running'),
    item('Servers', 'slack', 'error'),
    item('On this page', 'Restart github'),
  ]
  expect(labels(chooseItems(all, 'github'))).toEqual(['Restart github', 'github', 'my-github'])
  expect(labels(chooseItems(all, 'RUN git'))).toEqual(['my-github', 'github'])
  expect(labels(chooseItems(all, 'github error'))).toEqual([])
})

test('with nothing typed it does not list everything there is', () => {
  const servers = Array.from({ length: 1000 }, (_, at) => item('Servers', `server-${at}`))
  const all = [...servers, item('Registry', 'time'), item('Go to', 'Home')]
  const found = chooseItems(all, '')
  expect(labels(found)).toContain('Home')
  expect(labels(found)).not.toContain('time')
  expect(found.length).toBeLessThan(10)
})
