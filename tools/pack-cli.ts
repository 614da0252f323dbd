import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { bundleCli } from './bundle-cli.ts'
import { buildConsole } from './console-build.ts'

const root = path.resolve(import.meta.dirname, '..')

/** Packages that stay outside the bundle, because they bring files of their own. */
const OUTSIDE = ['@1password/sdk', '@cedar-policy/cedar-wasm', '@napi-rs/keyring']

/** Makes the npm package of the command: a folder that can be published as it is, and the tarball; gives the latter's path. */
export async function packCli(target: string): Promise<string> {
  const folder = path.join(target, 'package')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const bundled = await bundleCli(path.join(folder, 'dist'))
  await buildConsole(path.join(folder, 'dist', 'console'))
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`)
  writeFileSync(path.join(folder, 'THIRD-PARTY.txt'), licencesOf(bundled))
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  copyFileSync(path.join(root, 'apps/cli/README.md'), path.join(folder, 'README.md'))
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', target], { cwd: folder, encoding: 'utf8' })
  const name = /"filename":\s*"([^"]+)"/.exec(said)?.[1]
  if (name === undefined) throw new Error(`npm pack named no file: ${said}`)
  return path.join(target, name)
}

function manifest(): object {
  const { version, description, license } = readJson(path.join(root, 'package.json'))
  return {
    name: 'toolhaven',
    ...{ version, description, license },
    keywords: ['mcp', 'model-context-protocol', 'sandbox', 'containers'],
    type: 'module',
    bin: { thv: 'dist/thv.mjs' },
    files: ['dist', 'THIRD-PARTY.txt'],
    engines: { node: '>=24' },
    os: ['linux', 'darwin'],
    dependencies: Object.fromEntries(OUTSIDE.map((name) => [name, versionOf(name)])),
  }
}

function versionOf(name: string): unknown {
  const wanting = globSync('packages/*/package.json', { cwd: root })
    .map((file) => readJson(path.join(root, file))['dependencies'])
    .find((dependencies) => isRecord(dependencies) && name in dependencies)
  if (!isRecord(wanting)) throw new Error(`no package depends on ${name}`)
  return wanting[name]
}

/** Most licences ask that their text goes with every copy. */
function licencesOf(modules: readonly string[]): string {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [])
  const parts = [...new Set(folders)].toSorted().map((folder) => {
    const { name, version, license } = readJson(path.join(folder, 'package.json'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : readFileSync(path.join(folder, file), 'utf8')
    return `${String(name)} ${String(version)} (${String(license)})\n\n${text.trim()}\n`
  })
  return `The program contains these packages:\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

function readJson(file: string): Record<string, unknown> {
  if (!existsSync(file)) throw new Error(`${file} is missing`)
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isRecord(value)) throw new Error(`${file} is not an object`)
  return value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

if (import.meta.main)
  process.stdout.write(`${await packCli(path.resolve(process.argv[2] ?? path.join(root, 'dist')))}\n`)
