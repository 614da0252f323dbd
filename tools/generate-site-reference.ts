import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { CRD_GROUP, CRD_KIND, CRD_VERSION, mcpServer } from '@toolhaven/contract/crd/mcp-server'
import { clientTitle } from '@toolhaven/contract/client-titles'
import { CLIENT_TYPES, type ClientType, parseClientType } from '@toolhaven/contract/client-types'
import { CLIENT_PROGRAMS, type ClientProgram } from '@toolhaven/stores/clients/catalogue'
import * as z from 'zod'
import { apiOperations } from './api-operations.ts'
import { schemaSections } from './schema-tables.ts'

/** Writes the reference pages of the website and the files beside them; with --check, fails when one is stale. */
const root = path.resolve(import.meta.dirname, '..')
const generated = path.join(root, 'packages/contract/generated')
const frames = path.join(root, 'apps/website/site/reference')

const openapi = await readFile(path.join(generated, 'openapi.json'), 'utf8')
const registry = await readFile(path.join(generated, 'registry.schema.json'), 'utf8')
const crd = z.toJSONSchema(mcpServer, { target: 'draft-2020-12', io: 'input' })

const files: Record<string, string> = {
  'static/api-specs/openapi.json': openapi,
  'static/api-specs/registry.schema.json': registry,
  'static/api-specs/mcpserver.schema.json': `${JSON.stringify({ ...crd, title: CRD_KIND }, null, 2)}\n`,
  'docs/toolhaven/reference/api.mdx': await page('api', { OPERATIONS: apiOperations(JSON.parse(openapi)) }),
  'docs/toolhaven/reference/registry-schema.mdx': await page('registry-schema', {
    SECTIONS: schemaSections(JSON.parse(registry), 'registry.Registry'),
  }),
  'docs/toolhaven/reference/crd-spec.mdx': await page('crd-spec', {
    GROUP: CRD_GROUP,
    VERSION: CRD_VERSION,
    KIND: CRD_KIND,
    SECTIONS: schemaSections(crd, 'MCPServer'),
  }),
  'docs/toolhaven/changelog.md': await changelog(),
  'docs/toolhaven/concepts/performance.md': await page('performance', { FIGURES: await gatewayFigures() }),
  'docs/toolhaven/reference/client-compatibility.mdx': await page('client-compatibility', clientTables()),
}

const check = process.argv.includes('--check')
for (const [file, text] of Object.entries(files)) {
  const target = path.join(root, 'apps/website', file)
  if (!check) {
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, text)
  } else if ((await readFile(target, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`apps/website/${file} is stale: run npm run generate\n`)
    process.exitCode = 1
  }
}

/** The changelog of the repository as a page. */
async function changelog(): Promise<string> {
  const text = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8')
  return text.replace(/^# (.+)\n/, '---\ntitle: $1\ndescription: What changed in each version of Toolhaven.\n---\n')
}

/** What the bench wrote into the README, without its chart, which has the colours of one mode, and without its targets. */
async function gatewayFigures(): Promise<string> {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const figures = /<!-- gateway figures:[^>]*-->(?<figures>[\s\S]*)<!-- end of gateway figures -->/.exec(readme)?.groups
  if (figures?.['figures'] === undefined) throw new Error('README.md has no figures of the gateway')
  return figures['figures']
    .replaceAll(/^!\[.*\n/gm, '')
    .replaceAll('**', '')
    .replaceAll(/; each run writes .*$/gm, '.')
    .replaceAll(/^(\|.*\|)[^|\n]*\|$/gm, '$1')
    .replaceAll(/^\| {2}\|/gm, '| Measurement |')
    .trim()
}

/** The words of a page are in site/reference; here its tables are put in. */
async function page(name: string, parts: Readonly<Record<string, string>>): Promise<string> {
  const frame = await readFile(path.join(frames, `${name}.template.mdx`), 'utf8')
  return frame.replaceAll(/%([A-Z]+)%/g, (mark, part: string) => parts[part] ?? mark)
}

function clientTables(): Record<string, string> {
  const commandNames = {
    RooCode: 'roo-code',
    Cline: 'cline',
    Cursor: 'cursor',
    VSCodeInsider: 'vscode-insider',
    VSCode: 'vscode',
    ClaudeCode: 'claude-code',
    Windsurf: 'windsurf',
    WindsurfJetBrains: 'windsurf-jetbrains',
    AmpCli: 'amp-cli',
    AmpVSCode: 'amp-vscode',
    AmpCursor: 'amp-cursor',
    AmpVSCodeInsider: 'amp-vscode-insider',
    AmpWindsurf: 'amp-windsurf',
    GeminiCli: 'gemini-cli',
    QwenCode: 'qwen-code',
    CopilotCli: 'copilot-cli',
    Zed: 'zed',
    LMStudio: 'lm-studio',
    Kiro: 'kiro',
    Crush: 'crush',
    Antigravity: 'antigravity',
    VSCodeServer: 'vscode-server',
    ClaudeDesktop: 'claude-desktop',
    Junie: 'junie',
    Codex: 'codex',
    Goose: 'goose',
    Continue: 'continue',
    OpenCode: 'opencode',
    Trae: 'trae',
    Warp: 'warp',
    FactoryDroid: 'factory-droid',
    Auggie: 'auggie',
    KiloCode: 'kilo-code',
    KimiCode: 'kimi-code',
    RovoDev: 'rovo-dev',
    CopilotJetBrains: 'copilot-jetbrains',
  } as const satisfies Record<ClientType, string>
  for (const type of CLIENT_TYPES) {
    if (parseClientType(commandNames[type]) !== type) throw new Error(`${commandNames[type]} does not name ${type}`)
  }
  const programs: [ClientType, ClientProgram][] = CLIENT_TYPES.map((type) => [type, CLIENT_PROGRAMS[type]])
  const clients = programs.map(
    ([type, { serversKey, urlFields, types, source, reads }]) =>
      `| [${clientTitle(type)}](${source}) | \`${commandNames[type]}\` | \`${serversKey}\` | ${urlFields ? words(urlFields) : 'starts `thv proxy stdio`'} | ${types ? words(types) : 'none'} | ${reads ?? ''} |`,
  )
  const places = programs.map(
    ([type, { files }]) => `| ${clientTitle(type)} | ${list(files.linux)} | ${list(files.darwin)} |`,
  )
  return {
    CLIENTS: [
      '| Client | Name | Key of the servers | Field of the address | Types | Reads a changed file |',
      '|---|---|---|---|---|---|',
      ...clients,
    ].join('\n'),
    FILES: ['| Client | Linux and WSL | macOS |', '|---|---|---|', ...places].join('\n'),
  }
}

function words(byTransport: Readonly<Record<'sse' | 'streamable-http', string>>): string {
  const both = new Set([byTransport['streamable-http'], byTransport.sse])
  return [...both].map((word) => `\`${word}\``).join(', ')
}

function list(paths: readonly string[]): string {
  return paths.map((file) => `\`~/${file}\``).join('<br />')
}
