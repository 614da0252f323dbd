import { z } from 'zod'
import type { Progress } from '@toolhaven/core/ports/runtime'

export const pullLineSchema = z.looseObject({
  status: z.string().optional(),
  id: z.string().optional(),
  progressDetail: z.looseObject({ current: z.number().optional(), total: z.number().optional() }).nullish(),
  error: z.string().optional(),
  errorDetail: z.looseObject({ message: z.string().optional() }).nullish(),
})
export type PullLine = z.infer<typeof pullLineSchema>

/** Adds up the layers' downloads. Totals become known layer by layer, so both numbers grow. `done` never shrinks. */
export function createPullProgress(detail: string): (line: PullLine) => Progress | undefined {
  const layers = new Map<string, { done: number; total: number }>()
  let reported = -1
  return ({ id, status, progressDetail }) => {
    if (id === undefined) return undefined
    const { current, total } = progressDetail ?? {}
    const known = layers.get(id)
    // Extraction counts the same bytes a second time.
    if (status === 'Downloading' && current !== undefined && total !== undefined)
      layers.set(id, { done: current, total })
    else if (status === 'Download complete' || status === 'Pull complete')
      layers.set(id, { done: known?.total ?? 0, total: known?.total ?? 0 })
    else return undefined
    const all = [...layers.values()]
    const done = Math.max(reported, sum(all.map((layer) => layer.done)))
    reported = done
    const sumTotal = sum(all.map((layer) => layer.total))
    return sumTotal === 0 ? undefined : { phase: 'pulling', done, total: Math.max(sumTotal, done), detail }
  }
}

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
