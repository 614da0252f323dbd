import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { COMMANDS } from '../apps/cli/src/commands.ts'
import { startDaemon } from './src/daemon-process.ts'
import { matchOutput } from './src/documentation/match-output.ts'
import { makeHome } from './src/home.ts'
import { openShell } from './src/documentation/shell.ts'
import { THV } from './src/running-thv.ts'
import { withoutProgress } from './src/without-progress.ts'

const PAGE = new URL('../apps/website/docs/toolhaven/quickstart.mdx', import.meta.url)
const INSPECTOR = fileURLToPath(new URL('../node_modules/.bin/mcp-inspector', import.meta.url))

const [, recorded = ''] = /```text\n(\$ git clone[^]*?)\n```/.exec(await readFile(PAGE, 'utf8')) ?? []
const STEPS = recorded
  .split(/^\$ /m)
  .slice(1)
  .map((step) => {
    const [command = '', ...output] = step.split('\n')
    return { command, output: output.join('\n') }
  })

test('from a bare machine to a tool call in a client it is six commands, each of which README or --help names', async () => {
  expect(STEPS.length).toBeGreaterThan(3)
  expect(STEPS.length).toBeLessThanOrEqual(6)
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const [clone, enter, start, ...others] = STEPS.map(({ command }) => command)
  expect([clone, enter]).toEqual(['git clone "$TOOLHAVEN_REPOSITORY" toolhaven', 'cd toolhaven'])
  expect(readme).toContain(`\n${start} `)
  const client = others.pop()
  expect(client).toMatch(/^npx @modelcontextprotocol\/inspector@[\d.]+ --cli --config ~\/\.cursor\/mcp\.json /)
  for (const line of others) {
    expect(readme, line).toContain(line)
    expect(
      COMMANDS.some(({ words }) => line.startsWith(`npx thv ${words} `)),
      line,
    ).toBe(true)
  }
})

test('the recorded run is what happens, and a client that others made calls the tool', async () => {
  await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
  const own = home.env['HOME'] ?? home.dir
  // Who connects Cursor has it.
  await mkdir(join(own, '.cursor'))
  // What "npm start" prints is compared by readme-tour.test.ts.
  await using _daemon = await startDaemon(home)
  const env = { ...home.env, MCP_INSPECTOR_SECRET_STORE: 'memory' }
  await using shell = openShell({ cwd: own, env })
  for (const { command, output } of STEPS.slice(3)) {
    const here = command
      .replace(/^npx thv/, `'${process.execPath}' '${THV}'`)
      .replace(/^npx @modelcontextprotocol\/inspector@\S+/, `'${process.execPath}' '${INSPECTOR}'`)
    const printed = await shell.run(here)
    expect({ command, ...printed }).toMatchObject({ code: 0 })
    const said = withoutProgress(printed.output)
    expect(matchOutput(output, said), `${command}: ${said}`).toBeUndefined()
  }
})
