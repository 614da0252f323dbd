import type { CDPSession, Page } from 'playwright-core'

export interface PageCost {
  /** Milliseconds of script for each event. */
  scriptPerEvent: number
  /** Live bytes of script, after everything that is garbage was let go. */
  heap: number
}

/** What it costs a page that events arrive. */
export async function costOfEvents(page: Page, events: number, send: () => Promise<void>): Promise<PageCost> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await scriptSeconds(session)
  await send()
  // What the last events began has ended.
  await page.waitForTimeout(500)
  const scriptPerEvent = (((await scriptSeconds(session)) - before) * 1000) / events
  const heap = await liveHeap(session)
  await session.detach()
  return { scriptPerEvent, heap }
}

async function scriptSeconds(session: CDPSession): Promise<number> {
  return metric(await session.send('Performance.getMetrics'), 'ScriptDuration')
}

async function liveHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return metric(await session.send('Performance.getMetrics'), 'JSHeapUsedSize')
}

function metric({ metrics }: { metrics: { name: string; value: number }[] }, name: string): number {
  const found = metrics.find((each) => each.name === name)
  if (!found) throw new Error(`the browser does not measure ${name}`)
  return found.value
}
