import * as z from 'zod'
import { EMPTY_FORM, type RunForm } from './run-form.ts'

const server = z.object({
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  url: z.string().optional(),
})
const pasted = z.union([
  z.object({ mcpServers: z.record(z.string(), server) }),
  z.object({ servers: z.record(z.string(), server) }),
])

/** What keys are usually called. Their values belong in the secret store. */
const SECRET = /key|token|secret|passw|credential/i

/** The form for the first server of an `mcpServers` text, as clients keep it and as READMEs print it. Throws a sentence. */
export function readPasted(text: string): RunForm {
  const found = pasted.safeParse(parseJson(text))
  if (!found.success) throw new Error('This has no "mcpServers" with servers in it. Paste the whole object.')
  const [first] = Object.entries('mcpServers' in found.data ? found.data.mcpServers : found.data.servers)
  if (!first) throw new Error('There is no server in it.')
  const [name, { command, args, env, url }] = first
  const variables = Object.entries(env).map(([name, value]) => ({ name, value, isSecret: SECRET.test(name) }))
  const form = { ...EMPTY_FORM, name: name.replaceAll(/[^\w.-]+/g, '-'), variables }
  if (url !== undefined) return { ...form, source: 'remote', url }
  const { image, rest } = packageOf(command ?? '', args)
  return { ...form, image, args: rest.join('\n') }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('This is not valid JSON. Paste the whole object, with its braces.', { cause: error })
  }
}

const RUNNERS: Readonly<Record<string, string>> = { npx: 'npx', uvx: 'uvx', bunx: 'npx' }

function packageOf(command: string, args: readonly string[]): { image: string; rest: string[] } {
  const scheme =
    RUNNERS[
      command
        .split('/')
        .at(-1)
        ?.replace(/\.(?:cmd|exe)$/, '') ?? ''
    ]
  if (scheme === undefined)
    throw new Error(`Toolhaven cannot tell what "${command}" runs. Enter the package or image instead.`)
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const wanted = args[at]
  if (wanted === undefined) throw new Error(`It does not say which package ${command} runs.`)
  return { image: `${scheme}://${wanted}`, rest: args.slice(at + 1) }
}
