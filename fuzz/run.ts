// `npm run fuzz`: tries the parts that read what others wrote with inputs nobody thought of.
import { parseArgs } from 'node:util'
import { keepInput } from './src/corpus.ts'
import { fuzzTarget } from './src/fuzz-target.ts'
import type { Json, Target } from './src/target.ts'
import { TARGETS } from './src/targets.ts'

const DEFAULT_MINUTES = 60
const MOST_MINUTES = 24 * 60
const SAY_MS = 5000

const HELP = `npm run fuzz [-- --minutes N] [--only NAME] [--seed N] [--keep]

  --minutes N   How long to run, all targets together (default: ${DEFAULT_MINUTES})
  --only NAME   Only this target; can be given several times
  --seed N      Draw the inputs of an earlier run, if the corpus is the same
  --keep        Keep inputs with new outcomes in fuzz/corpus
  --help        Show this text

A failing input is always kept in fuzz/corpus/TARGET. The next run and the unit tests try it first.

Targets:
${TARGETS.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n')}`

process.exitCode = await main()

async function main(): Promise<number> {
  const options = readOptions()
  if (typeof options === 'string') {
    console.error(options)
    return 2
  }
  if (options.help) {
    console.log(HELP)
    return 0
  }
  const { targets, minutes, seed, keep } = options
  console.log(`Fuzzing ${targets.map(({ name }) => name).join(', ')} for ${minutes} minutes in all, seed ${seed}.`)
  const lines: string[] = []
  let failures = 0
  for (const target of targets) {
    const { line, hasFailed } = await runOne(target, { milliseconds: (minutes * 60_000) / targets.length, seed, keep })
    lines.push(line)
    if (hasFailed) failures += 1
  }
  console.log(
    `\n${lines.join('\n')}\n${failures === 0 ? 'No fault found.' : `${failures} of ${targets.length} targets failed.`}`,
  )
  return failures === 0 ? 0 : 1
}

interface Options {
  targets: readonly Target[]
  minutes: number
  seed: number
  keep: boolean
  help: boolean
}

/** Returns what is wrong with the arguments, if anything. */
function readOptions(): Options | string {
  const flags = readFlags()
  if (typeof flags === 'string') return flags
  const minutes = Number(flags.minutes ?? DEFAULT_MINUTES)
  if (!(minutes > 0 && minutes <= MOST_MINUTES))
    return `--minutes must be a number above 0 and at most ${MOST_MINUTES}, not ${flags.minutes}.`
  const seed = Number(flags.seed ?? Math.floor(Math.random() * 2 ** 31))
  if (!Number.isSafeInteger(seed)) return `--seed must be a whole number, not ${flags.seed}.`
  const only = flags.only ?? []
  const unknown = only.filter((name) => !TARGETS.some((target) => target.name === name))
  if (unknown.length > 0)
    return `No target is called ${unknown.join(' or ')}. Targets: ${TARGETS.map(({ name }) => name).join(', ')}.`
  const targets = TARGETS.filter(({ name }) => only.length === 0 || only.includes(name))
  return { targets, minutes, seed, keep: flags.keep ?? false, help: flags.help ?? false }
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        minutes: { type: 'string' },
        only: { type: 'string', multiple: true },
        seed: { type: 'string' },
        keep: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${HELP}`
  }
}

async function runOne(
  target: Target,
  { milliseconds, seed, keep }: { milliseconds: number; seed: number; keep: boolean },
): Promise<{ line: string; hasFailed: boolean }> {
  const began = performance.now()
  let said = began
  const result = await fuzzTarget(target, { milliseconds, seed }, (executions, outcomes) => {
    if (performance.now() - said < SAY_MS) return
    said = performance.now()
    console.log(`${target.name}: ${executions} inputs, ${outcomes} outcomes, ${Math.round((said - began) / 1000)} s`)
  })
  const { executions, outcomes, fresh, failure } = result
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  const line = `${target.name.padEnd(14)}${minutes} min, ${executions} inputs, ${outcomes} outcomes`
  if (failure !== undefined) {
    console.log(`\n${target.name} FAILED\n${failure.error}`)
    if (failure.input !== undefined) await keepFailing(target, failure.input)
    return { line: `${line}, FAILED`, hasFailed: true }
  }
  for (const input of keep ? fresh : []) await keepInput(target.name, input)
  return { line, hasFailed: false }
}

async function keepFailing({ name }: Target, input: Json): Promise<void> {
  const path = await keepInput(name, input)
  console.log(`Input: ${JSON.stringify(input)}`)
  console.log(path === undefined ? 'It is too large for the corpus.' : `It is kept as ${path}.`)
}
