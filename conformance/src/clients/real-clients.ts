import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PYTHON_CLIENT, pythonWith, type PythonSdk } from './python-sdk.ts'

const run = promisify(execFile)

/** Where a client finds a server. */
export type Place = { kind: 'stdio'; command: readonly string[] } | { kind: 'sse' | 'http'; url: string }

/** A program made by others that asks a server several things. Returns the answers. */
export interface RealClient {
  name: string
  ask: (place: Place) => Promise<unknown>
}

export const REAL_CLIENTS: readonly RealClient[] = [
  { name: 'Python SDK 1.30.0', ask: (place) => askWithPython('1.30.0', place) },
  { name: 'Python SDK 2.3.0', ask: (place) => askWithPython('2.3.0', place) },
  { name: 'Inspector CLI', ask: askWithInspector },
]

async function askWithPython(sdk: PythonSdk, place: Place): Promise<unknown> {
  const where = place.kind === 'stdio' ? place.command : [place.url]
  const args = ['-W', 'ignore', PYTHON_CLIENT, place.kind, ...where]
  const { stdout } = await run(await pythonWith(sdk), args, { timeout: 300_000 })
  return JSON.parse(stdout)
}

const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'))

const QUESTIONS: readonly (readonly string[])[] = [
  ['tools/list'],
  ['tools/call', '--tool-name', 'echo', '--tool-arg', 'text=from the Inspector'],
  ['tools/call', '--tool-name', 'progress', '--tool-arg', 'steps=3', '--tool-arg', 'text=p'],
  ['resources/list'],
  ['resources/read', '--uri', 'memo://a'],
  ['prompts/list'],
]

/** Each question is a separate program run. */
async function askWithInspector(place: Place): Promise<unknown> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'thv-inspector-'))
  const env = { PATH: process.env['PATH'], HOME: home }
  const where = place.kind === 'stdio' ? place.command : [place.url, '--transport', place.kind]
  try {
    const answers: unknown[] = []
    for (const question of QUESTIONS) {
      const args = [INSPECTOR, '--cli', ...where, '--method', ...question]
      const { stdout } = await run(process.execPath, args, { env, timeout: 120_000 })
      answers.push(JSON.parse(stdout))
    }
    return answers
  } finally {
    rmSync(home, { recursive: true })
  }
}
