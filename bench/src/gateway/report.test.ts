import { describe, expect, test } from 'vitest'
import { gatewayReport } from './report.ts'
import { comparison, inventedRun } from './test-run.ts'

const HEAD =
  '|  | Toolhaven | raw node:http bridge | naive SDK bridge | mcp-proxy (npm) | supergateway (npm) | mcp-proxy (PyPI) |'

describe('the tables of the gateway', () => {
  const lines = gatewayReport(inventedRun()).split('\n')
  const rowOf = (name: string) => lines.find((line) => line.startsWith(`| ${name} |`))

  test('have a column for each program, and one for nothing in between where that was measured', () => {
    expect(lines).toContain(`${HEAD} target |`)
    expect(lines).toContain(`${HEAD} direct stdio | target |`)
  })

  test('show every median, and the bars against the best npm peer and others', () => {
    expect(rowOf('100 B, 10 × 10')).toBe(
      '| 100 B, 10 × 10 | **80.0** | 64.0 | 400 | 800 | 640 | 2,400 | ≤ 1/5 of the best npm peer: 0.13, reached; ≤ 1.2 × raw node:http bridge: 1.25, missed |',
    )
    expect(rowOf('p50 of 100 B, 1 × 1')).toBe(
      '| p50 of 100 B, 1 × 1 | **0.200** | 0.150 | 0.400 | 0.500 | 0.600 | 2.50 | 0.025 |  |',
    )
  })

  test('say that a program refused, and what it said', () => {
    expect(rowOf('1 MB, 1 × 1')).toBe(
      '| 1 MB, 1 × 1 | **2,500** | 3,000 | 8,000 | 10,000 | refused | 26,000 | ≤ 1/2.5 of the best npm peer: 0.25, reached |',
    )
    expect(lines).toContain(
      String.raw`- supergateway (npm): the answer was HTTP/1.1 413 Payload &lt;Too&gt; Large \| no (1 MB, 1 × 1)`,
    )
  })

  test('say when, where, and of which versions', () => {
    expect(lines).toContain(
      'Measured on 2001-02-03 with Node 1.2.3 on 3 cores, Some &lt;Processor&gt; &amp; more. Load average 0.1 0.2 0.3 before and 1.0 2.0 3.0 after.',
    )
    expect(lines.at(-1)).toMatch(/^The others: mcp-proxy [\d.]+ \(npm\), supergateway [\d.]+ \(npm\), mcp-proxy/)
  })
})

test('who broke did not refuse, who broke twice is told of once, and who was not asked has a dash', () => {
  const broken = { 'mcp-proxy (npm)': { unable: 'Error: read ECONNRESET' } }
  const some = comparison('one', [1, 2, 3, 4, 5, 6], { results: broken })
  const { 'naive SDK bridge': _, ...fewer } = some.results
  const report = gatewayReport(inventedRun({ comparisons: [some, { ...some, name: 'other', results: fewer }] }))
  expect(report).toContain('| one | **1.00** | 2.00 | 3.00 | failed | 5.00 | 6.00 |')
  expect(report).toContain('| other | **1.00** | 2.00 | – | failed | 5.00 | 6.00 |')
  expect(report).toContain('\n- mcp-proxy (npm): read ECONNRESET (one; other)\n')
})

test('a run without a value of ours has no report', () => {
  const lost = comparison('lost', [1, 2, 3, 4, 5, 6], { results: { ours: { unable: 'it fell over' } } })
  expect(() => gatewayReport(inventedRun({ comparisons: [lost] }))).toThrow('lost: nothing was measured for ours')
})

test('the costs of parts have a table of their own, without a rival where the bar is a value', () => {
  const costs = [
    { name: 'passing on', unit: 'ms', ours: 30, baseline: 40, ratio: 0.75, target: ratioOf(0.6), ok: false },
    { name: 'a session', unit: 'KB', ours: 5.25, baseline: 900, ratio: 0.01, target: valueOf(60), ok: true },
  ]
  const report = gatewayReport(inventedRun({ costs }))
  expect(report).toContain('| passing on | ms | **30.0** | 40.0 | 0.75 × | ≤ 0.6 ×, missed |')
  expect(report).toContain('| a session | KB | **5.25** | – | – | ≤ 60 KB, reached |')
  expect(gatewayReport(inventedRun())).not.toContain('parts of the gateway')
})

const ratioOf = (below: number) => ({ of: 'ratio', below }) as const
const valueOf = (below: number) => ({ of: 'ours', below }) as const
