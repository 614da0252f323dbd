import { readFence } from './read-fence.ts'

/** One step of a page, in page order. */
export interface Step {
  /** Line of the fence or comment, counted from 1. */
  line: number
  command: string
  exit: number
  /** Expected stdout and stderr. Default: anything. */
  output?: { line: number; text: string }
}

export interface Page {
  frontMatter: Readonly<Record<string, string>>
  steps: Step[]
  /** Where the page breaks a rule of runnable pages, each with its line. */
  faults: Fault[]
}

export interface Fault {
  line: number
  text: string
}

/** Why a block with a command of ours is shown and not run. */
const NORUN_REASONS: Readonly<Record<string, string>> = {
  account: 'needs an account or a token of somebody else',
  client: 'needs an AI client',
  cluster: 'needs a Kubernetes cluster',
  daemon: 'starts or ends the daemon that the page runs on',
  endless: 'runs until Ctrl-C',
  engine: 'needs a container engine or an image that the testbed has not',
  installs: 'changes the machine',
  internet: 'needs an address of the internet',
  placeholder: 'has words to be replaced by the reader',
  terminal: 'asks at a terminal',
}

const HIDDEN_STEP = /^\s*\{\/\*\s*run:\s*(.*?)\s*\*\/\}\s*$/
const OUR_COMMAND = /(^|[\s;|&(`])thv\s/m

export function parsePage(text: string): Page {
  const lines = text.split('\n')
  const { frontMatter, end } = readFrontMatter(lines)
  const page: Page = { frontMatter, steps: [], faults: [] }
  const plain: Fault[] = []
  let at = end
  while (at < lines.length) {
    const hidden = HIDDEN_STEP.exec(lines[at] ?? '')?.[1]
    if (hidden !== undefined) page.steps.push({ line: at + 1, command: hidden, exit: 0 })
    const fence = readFence(lines, at)
    if (!fence) {
      at += 1
      continue
    }
    const line = at + 1
    const { language, meta, text: content } = fence
    if (language === 'bash' && meta.has('run')) page.steps.push(stepOf(line, content, meta, page.faults))
    else if (meta.has('output')) addOutput(page, fence.isNextTo, { line, text: content })
    else if (language === 'bash' && OUR_COMMAND.test(content)) plain.push(...faultOfPlain(line, meta))
    at = fence.end
  }
  // Only where a reader would expect that everything was tried.
  if (page.steps.length > 0) page.faults.push(...plain)
  return page
}

/** Faults of a page that must say which parts run. */
export function missingDeclaration(page: Page): Fault[] {
  const { runnable, runnable_reason: reason = '' } = page.frontMatter
  if (runnable === undefined) {
    if (page.steps.length > 0) return []
    return [{ line: 1, text: 'nothing here runs: mark a block with `run`, or say `runnable: none` and why' }]
  }
  if (runnable !== 'none') return [{ line: 1, text: `runnable can only be none, not ${runnable}` }]
  if (page.steps.length > 0) return [{ line: 1, text: 'runnable is none, yet a block is marked with `run`' }]
  return reason === '' ? [{ line: 1, text: '`runnable: none` needs a `runnable_reason`' }] : []
}

function stepOf(line: number, command: string, meta: ReadonlyMap<string, string>, faults: Fault[]): Step {
  const exit = Number(meta.get('exit') ?? 0)
  if (!Number.isInteger(exit)) faults.push({ line, text: `exit must be a number, not ${meta.get('exit')}` })
  return { line, command, exit }
}

function addOutput(page: Page, isNextTo: (line: number) => boolean, output: { line: number; text: string }): void {
  const step = page.steps.at(-1)
  if (step && step.output === undefined && isNextTo(step.line)) step.output = output
  else page.faults.push({ line: output.line, text: 'an output block must follow its `bash run` block at once' })
}

function faultOfPlain(line: number, meta: ReadonlyMap<string, string>): Fault[] {
  const reason = meta.get('norun')
  if (reason === undefined) return [{ line, text: 'a block with a thv command must carry `run` or `norun=<reason>`' }]
  if (Object.hasOwn(NORUN_REASONS, reason)) return []
  return [{ line, text: `norun=${reason} is not one of ${Object.keys(NORUN_REASONS).join(', ')}` }]
}

/** Scalars only: other lists and maps of the site are ignored. */
function readFrontMatter(lines: readonly string[]): { frontMatter: Record<string, string>; end: number } {
  const close = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  if (close === -1) return { frontMatter: {}, end: 0 }
  const pairs = lines.slice(1, close).flatMap((line) => {
    const [, key, value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    return key === undefined ? [] : [[key, value.replace(/^(['"])(.*)\1$/, '$2')]]
  })
  return { frontMatter: Object.fromEntries(pairs), end: close + 1 }
}
