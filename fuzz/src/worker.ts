import { parentPort, workerData } from 'node:worker_threads'
import { fc } from '@toolhaven/testing/properties'
import * as z from 'zod'
import { readCorpus } from './corpus.ts'
import type { Failure, Report } from './messages.ts'
import type { Json, OpenTarget } from './target.ts'
import { TARGETS } from './targets.ts'

const task = z.object({
  target: z.string(),
  seed: z.number(),
  milliseconds: z.number(),
  current: z.instanceof(SharedArrayBuffer),
})

const PROGRESS_MS = 1000
/** For one input. An input that takes longer hangs. */
const PATIENCE_MS = 60_000
const MOST_INPUT_BYTES = 256 * 1024
const MOST_FRESH = 20
const MOST_RUNS = 2 ** 31 - 1

const { target: name, seed, milliseconds, current } = task.parse(workerData)
const shown = Buffer.from(current)
const tell = (report: Report) => parentPort?.postMessage(report)

const known = new Set<string>()
const fresh = new Map<string, Json>()
let executions = 0
let told = 0

await run()

async function run(): Promise<void> {
  const target = TARGETS.find((each) => each.name === name)
  if (target === undefined) throw new Error(`no target is called ${name}`)
  const corpus = await readCorpus(name)
  await using open = await target.open([...corpus.values()])
  const failure = (await replay(open, corpus)) ?? (await fuzz(open))
  tell({ kind: 'done', executions, fresh: [...fresh.values()], outcomes: known.size + fresh.size, failure })
}

/** Inputs that failed once come first. */
async function replay(open: OpenTarget, corpus: ReadonlyMap<string, Json>): Promise<Failure | undefined> {
  for (const input of corpus.values()) {
    try {
      known.add(await execute(open, input))
    } catch (error) {
      return { input, error: inWords(error) }
    }
  }
  return undefined
}

async function fuzz(open: OpenTarget): Promise<Failure | undefined> {
  const property = fc.asyncProperty(open.inputs, async (input) => {
    const outcome = await execute(open, input)
    if (!known.has(outcome) && !fresh.has(outcome) && fresh.size < MOST_FRESH) fresh.set(outcome, input)
  })
  const limits = { interruptAfterTimeLimit: milliseconds, markInterruptAsFailure: false }
  const details = await fc.check(property, { seed, numRuns: MOST_RUNS, ...limits })
  if (!details.failed || details.counterexample === null) return undefined
  return { input: details.counterexample[0], error: inWords(details.errorInstance) }
}

async function execute(open: OpenTarget, input: Json): Promise<string> {
  const text = JSON.stringify(input)
  fc.pre(text.length <= MOST_INPUT_BYTES)
  shown.writeUInt32LE(shown.write(text, 4), 0)
  executions += 1
  const outcome = await inTime(open.check(input))
  if (performance.now() - told > PROGRESS_MS) {
    told = performance.now()
    tell({ kind: 'progress', executions, outcomes: known.size + fresh.size })
  }
  return outcome
}

/** A target that only waits can still be closed, with the daemon that it may have started. */
async function inTime(checked: Promise<string>): Promise<string> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`it hangs: no outcome after ${PATIENCE_MS} ms`)), PATIENCE_MS)
  return Promise.race([checked, late.promise]).finally(() => clearTimeout(timer))
}

function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
