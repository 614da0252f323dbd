import { expect, test } from 'vitest'
import { BEST_NPM, RAW } from './comparison.ts'
import { figuresOf } from './figures.ts'
import { comparison } from './test-run.ts'

test('ours stands against each program that measured something, with the bar where it belongs', () => {
  const figures = figuresOf(
    comparison('one', [10, 8, 20, 60, 40, 100], {
      results: { 'naive SDK bridge': { unable: 'it broke' } },
      bars: [
        { against: BEST_NPM, below: 1 / 5 },
        { against: RAW, below: 1.4 },
      ],
    }),
  )
  expect(figures.map(({ name, ratio, target, ok }) => [name, ratio, target?.below, ok])).toEqual([
    ['one, against raw node:http bridge', 1.25, 1.4, true],
    ['  and mcp-proxy (npm)', 1 / 6, undefined, undefined],
    ['  and supergateway (npm)', 0.25, 0.2, false],
    ['  and mcp-proxy (PyPI)', 0.1, undefined, undefined],
  ])
  expect(figures[0]).toMatchObject({
    ours: 10,
    baseline: 8,
    unit: 'ms',
    spread: { ours: [9, 12], baseline: [7.2, 9.6] },
  })
})
