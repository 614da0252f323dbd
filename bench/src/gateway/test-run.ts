import { BEST_NPM, type Comparison, DIRECT, OURS, RAW, type Result, SDK } from './comparison.ts'
import type { GatewayRun } from './wording.ts'

/** Invented values, in the shape of a run. */
export function inventedRun(changes: Partial<GatewayRun> = {}): GatewayRun {
  return {
    date: '2001-02-03T04:05:06.789Z',
    machine: {
      node: 'v1.2.3',
      cpu: 'Some <Processor> & more',
      cores: 3,
      loadBefore: [0.1, 0.2, 0.3],
      loadAfter: [1, 2, 3],
    },
    rounds: 5,
    comparisons: [
      comparison('100 B, 10 × 10', [80, 64, 400, 800, 640, 2400], {
        bars: [
          { against: BEST_NPM, below: 1 / 5 },
          { against: RAW, below: 1.2 },
        ],
      }),
      comparison('1 MB, 1 × 1', [2500, 3000, 8000, 10_000, 0, 26_000], {
        results: { 'supergateway (npm)': { unable: 'Error: the answer was HTTP/1.1 413 Payload <Too> Large | no' } },
        bars: [{ against: BEST_NPM, below: 1 / 2.5 }],
      }),
      { ...comparison('p50 of 100 B, 1 × 1', [0.2, 0.15, 0.4, 0.5, 0.6, 2.5], { direct: 0.025 }), of: 'p50' },
    ],
    costs: [],
    ...changes,
  }
}

const PEERS = ['mcp-proxy (npm)', 'supergateway (npm)', 'mcp-proxy (PyPI)']

interface More {
  results?: Record<string, Result>
  bars?: Comparison['bars']
  direct?: number
}

/** Values of ours, the two bridges and the three others. */
export function comparison(name: string, values: readonly number[], more: More = {}): Comparison {
  const { results = {}, bars = [], direct } = more
  const measured = [OURS, RAW, SDK, ...PEERS].map((program, at): [string, Result] => {
    const value = values[at] ?? 0
    return [program, { value, low: value * 0.9, high: value * 1.2 }]
  })
  return {
    name,
    of: 'processor time',
    results: { ...(direct && { [DIRECT]: { value: direct } }), ...Object.fromEntries(measured), ...results },
    bars,
  }
}
