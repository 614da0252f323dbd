import * as z from 'zod'
import { EMPTY_FORM, isNameOfSecret, type NamedValue, type RunForm } from './run-form.ts'

const server = z.looseObject({
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  url: z.string().optional(),
  type: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
})
const pasted = z.union([
  z.object({ mcpServers: z.record(z.string(), server) }),
  z.object({ servers: z.record(z.string(), server) }),
])

export interface Pasted {
  form: RunForm
  /** What the text says and the form does not have, in words. */
  left: string[]
}

/** The form for the first server of `mcpServers`, as clients keep them and as READMEs print them. Throws a sentence. */
export function readPasted(value: unknown): Pasted {
  const found = pasted.safeParse(value)
  if (!found.success)
    throw new Error(
      'This has no "mcpServers" with servers in it, and no "schema_version" of an export. Paste the whole object.',
    )
  const [first, ...others] = Object.entries('mcpServers' in found.data ? found.data.mcpServers : found.data.servers)
  if (!first) throw new Error('The "mcpServers" object is empty. Paste one that contains a server.')
  const [name, { command, args, env, url, type: _, headers, ...settings }] = first
  const left = [
    ...others.map(([other]) => `the server ${other}`),
    ...Object.keys(settings).map((setting) => `the setting ${setting}`),
  ]
  const variables = valuesOf(env)
  const form = { ...EMPTY_FORM, name: name.replaceAll(/[^\w.-]+/g, '-'), variables }
  if (url !== undefined) return { form: { ...form, source: 'remote', url, headers: valuesOf(headers) }, left }
  left.push(...Object.keys(headers).map((header) => `the header ${header}`))
  const { image, rest, left: leftOfCommand } = packageOf(command ?? '', args)
  return { form: { ...form, image, args: rest.join('\n') }, left: [...left, ...leftOfCommand] }
}

function valuesOf(record: Readonly<Record<string, string>>): NamedValue[] {
  return Object.entries(record).map(([name, value]) => ({ name, value, isSecret: isNameOfSecret(name) }))
}

interface Runner {
  scheme: string
  /** Options that name the package, before the command of it that runs. */
  packageOptions: readonly string[]
  /** Options whose value is the next word. */
  valued: readonly string[]
}

const NPX: Runner = {
  scheme: 'npx',
  packageOptions: ['-p', '--package'],
  valued: ['-p', '--package', '--registry', '-c', '--call', '-w', '--workspace', '--userconfig', '--prefix'],
}
const UVX: Runner = {
  scheme: 'uvx',
  packageOptions: ['--from'],
  valued: [
    ...['--from', '--with', '--with-editable', '--with-requirements', '-w', '-p', '--python', '-i', '--index-url'],
    ...['--index', '--default-index', '--extra-index-url', '-c', '--constraints', '--env-file'],
  ],
}
const RUNNERS: Readonly<Record<string, Runner>> = { npx: NPX, bunx: NPX, uvx: UVX }

/** They make no difference here. */
const MEANINGLESS = ['-y', '--yes', '-q', '--quiet', '--']

interface Package {
  image: string
  rest: readonly string[]
  left: readonly string[]
}

function packageOf(command: string, args: readonly string[]): Package {
  const program = command.split('/').at(-1) ?? ''
  const runner = RUNNERS[program.replace(/\.(?:cmd|exe)$/, '')]
  if (runner === undefined)
    throw new Error(`Toolhaven cannot tell what "${command}" runs. Enter the package or image instead.`)
  const left: string[] = []
  let from: string | undefined
  let at = 0
  for (; args[at]?.startsWith('-'); at += 1) {
    const [option = '', ...values] = (args[at] ?? '').split('=')
    if (values.length === 0 && runner.valued.includes(option)) values.push(args[(at += 1)] ?? '')
    if (from === undefined && runner.packageOptions.includes(option)) from = values.join('=')
    // Its value may be a secret, such as a registry with a password.
    else if (!MEANINGLESS.includes(option)) left.push(`the option ${option}`)
  }
  const wanted = args[at]
  const image = from ?? wanted
  if (image === undefined || image === '') throw new Error(`It does not say which package ${command} runs.`)
  if (from !== undefined && wanted !== undefined && wanted !== bareName(from)) left.push(`the command ${wanted}`)
  return { image: `${runner.scheme}://${image}`, rest: args.slice(at + 1), left }
}

/** Without scope and version: the command that a package runs when none is named. */
function bareName(name: string): string {
  return /^(?:@[^/]+\/)?([^@=<>~[]*)/.exec(name)?.[1] ?? name
}
