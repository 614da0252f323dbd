import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import path from 'node:path'

interface Step {
  name: string
  command: string[]
}

const root = path.resolve(import.meta.dirname, '..')
const wanted = process.argv.slice(2)
const steps = allSteps().filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))

const unknown = wanted.filter((part) => !allSteps().some(({ name }) => name.includes(part)))
if (unknown.length > 0) {
  console.log(
    `No step is called ${unknown.join(' or ')}. Steps: ${allSteps()
      .map(({ name }) => name)
      .join(', ')}.`,
  )
  process.exit(1)
}
const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal)
    process.exit(1)
  })
}

let failed = 0
const waiting = [...steps]
// Two at a time: most steps keep one core busy.
await Promise.all([runSteps(), runSteps()])
console.log(`\n${steps.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function runSteps(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const began = Date.now()
    const { code, output } = await run(step.command)
    const seconds = `${((Date.now() - began) / 1000).toFixed(1)} s`
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds})`)
    if (code === 0) continue
    failed += 1
    console.log(`${output.trimEnd()}\n`)
  }
}

function allSteps(): Step[] {
  // Only existing folders, because oxlint fails at a path that does not exist.
  const sources = ['apps', 'packages', 'tools', 'e2e', 'bench', 'conformance', 'fuzz'].filter((folder) =>
    existsSync(path.join(root, folder)),
  )
  const copies = [
    '**/*.test.ts',
    '{apps,packages}/*/test/**',
    '**/node_modules/**',
    '**/generated/**',
    'packages/testing/**',
    'packages/fakes/**',
    'apps/website/{build,build.next,.cache,.docusaurus,.docusaurus-*}/**',
  ]
  return [
    { name: 'types', command: types('.', 'all') },
    { name: 'types of the site', command: types('apps/website', 'site') },
    { name: 'types of the console', command: types('apps/console', 'console') },
    { name: 'lint', command: tool('oxlint', '--type-aware', '--deny-warnings', ...sources, 'vitest.config.ts') },
    { name: 'format', command: tool('oxfmt', '--check', '.') },
    { name: 'dead code', command: tool('knip', '--no-progress', '--no-config-hints') },
    { name: 'workspaces', command: tool('sherif', '-r', 'root-package-manager-field') },
    {
      name: 'copies',
      command: tool(
        'jscpd',
        ...['--threshold', '2', '--fail-on-empty', '--format', 'typescript,javascript', '--ignore', copies.join(',')],
        ...sources,
      ),
    },
    ...scripts('tools/generate-*.ts').map((file) => ({ name: `fresh: ${file}`, command: script(file, '--check') })),
    { name: 'openapi', command: tool('redocly', 'lint', 'packages/contract/generated/openapi.json') },
    ...scripts('tools/check-*.ts').map((file) => ({ name: file, command: script(file) })),
  ]
}

function scripts(pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
}

/** Keeps the compiler's build information, so that the next run is much faster. */
function types(project: string, name: string): string[] {
  const known = path.join(root, '.cache', `types-${name}.tsbuildinfo`)
  // Not node_modules/.bin/tsc: TypeScript 6 has a program of that name too.
  const compiler = path.join(root, 'node_modules/typescript-7/bin/tsc')
  return [process.execPath, compiler, '--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', known]
}

function tool(name: string, ...args: string[]): string[] {
  return [path.join(root, 'node_modules/.bin', name), ...args]
}

function script(file: string, ...args: string[]): string[] {
  return [process.execPath, path.join(root, file), ...args]
}

function run([program = '', ...args]: string[]): Promise<{ code: number; output: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; output: string }>()
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  }
  delete env['FORCE_COLOR']
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
  running.add(child)
  child.on('close', () => running.delete(child))
  let output = ''
  const collect = (chunk: string) => (output += chunk)
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  child.on('error', (error) => resolve({ code: 1, output: `${program} could not be started: ${error.message}` }))
  child.on('close', (code, signal) =>
    resolve({ code: code ?? 1, output: signal === null ? output : `${output}\n${signal}` }),
  )
  return promise
}
