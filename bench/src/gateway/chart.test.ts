import { expect, test } from 'vitest'
import { gatewayChart } from './chart.ts'
import { comparison, inventedRun } from './test-run.ts'

const barsOf = (svg: string) =>
  [...svg.matchAll(/<rect class="(\w+)"[^>]* width="([\d.]+)"[^>]*><title>([^<]*)<\/title>/g)].map(
    ([, kind, width, title]) => ({ kind, width: Number(width), title }),
  )

test('bars are as long as their values, to the scale of their panel', () => {
  const svg = gatewayChart(inventedRun({ comparisons: [comparison('one', [10, 20, 25, 50, 100, 40])] }))
  const bars = barsOf(svg)
  expect(bars.map(({ kind }) => kind)).toEqual(['ours', 'bridge', 'bridge', 'peer', 'peer', 'peer'])
  const longest = Math.max(...bars.map(({ width }) => width))
  expect(bars.map(({ width }) => Math.round((width / longest) * 100))).toEqual([10, 20, 25, 50, 100, 40])
  expect(bars[0]?.title).toBe('Toolhaven, one: 10.0 ms, 9.00 to 12.0')
})

test('who refused has a word instead of a bar, and nothing in between a bar of its own', () => {
  const svg = gatewayChart(inventedRun())
  expect(svg).toContain('>refused</text>')
  const titles = barsOf(svg).map(({ title }) => title)
  expect(titles).not.toContainEqual(expect.stringContaining('supergateway (npm), 1 MB'))
  expect(titles).toContain('direct stdio, p50 of 100 B, 1 × 1: 0.025 ms')
})

test('all is said in words too, and nothing is loaded or run', () => {
  const svg = gatewayChart(inventedRun())
  expect(svg).toMatch(/<title id="title">[^<]+<\/title>/)
  expect(svg).toContain('1 MB, 1 × 1: Toolhaven 2,500, raw node:http bridge 3,000,')
  expect(svg).not.toMatch(/<script|href=|url\(|@import/)
})

test('what others wrote cannot break out of its text', () => {
  const svg = gatewayChart(inventedRun({ comparisons: [comparison('<a> & "b"', [1, 2, 3, 4, 5, 6])] }))
  expect(svg).toContain('>&lt;a&gt; &amp; &quot;b&quot;</text>')
  expect(svg).toContain('Some &lt;Processor&gt; &amp; more')
  expect(svg).not.toContain('<a>')
})
