import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServicePlan } from './service-plan.ts'
import { renderSystemdUnit } from './systemd-unit.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-unit-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const plan = (overrides: Partial<ServicePlan> = {}): ServicePlan => ({
  command: ['/usr/bin/env', '/opt/thv.mjs', 'serve', '--port', '8080'],
  env: { PATH: '/usr/bin:/bin' },
  leftOut: [],
  secretsFile: '/home/me/.config/toolhaven/service.env',
  outputFile: '/home/me/daemon.out',
  homeDir: '/home/me',
  ...overrides,
})

describe('the unit', () => {
  test('of a user starts with the session, that of root with the machine', () => {
    const user = renderSystemdUnit(plan(), 'user')
    expect(user).toContain('\nExecStart="/usr/bin/env" "/opt/thv.mjs" "serve" "--port" "8080"\n')
    expect(user).toContain('\nWantedBy=default.target\n')
    expect(user).not.toContain('HOME=')
    const system = renderSystemdUnit(plan(), 'system')
    expect(system).toContain('\nWantedBy=multi-user.target\n')
    expect(system).toContain('\nEnvironment="HOME=/home/me"\n')
    expect(system).toContain('After=network-online.target docker.service')
  })

  test('has every character of paths and values that systemd would read otherwise', () => {
    const text = renderSystemdUnit(
      plan({
        command: ['/a b/50%/$node', String.raw`C:\thv $HOME`, '$1'],
        env: { HTTP_PROXY: 'http://p/%20$x', NAME: 'a "b"\nc' },
      }),
      'user',
    )
    expect(text).toContain(String.raw`ExecStart="/a b/50%%/$node" "C:\\thv $$HOME" "$$1"`)
    expect(text).toContain('Environment="HTTP_PROXY=http://p/%%20$x"')
    expect(text).toContain(String.raw`Environment="NAME=a \"b\"\nc"`)
  })

  test.each([
    ['user', 'a space, 50% and $dollar'],
    ['system', String.raw`a space, "quotes", 'more' and \ too`],
  ] as const)('of scope %s, at a place with %s, is what systemd accepts', async (scope, name) => {
    const place = join(folder, name)
    await mkdir(place)
    const program = join(place, 'node')
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o755)
    const file = join(folder, scope, 'toolhaven.service')
    await mkdir(join(folder, scope))
    const text = renderSystemdUnit(plan({ command: [program, 'serve'], env: { PATH: place } }), scope)
    expect(await verify(file, scope, text)).toBe('')
    // Seen failing: a path that is not there, and a word that no unit has.
    expect(await verify(file, scope, text.replace('ExecStart="/', 'ExecStart="/not-there/'))).toContain(
      'is not executable',
    )
    expect(await verify(file, scope, text.replace('KillMode=mixed', 'KillMode=gently'))).toContain('kill mode')
  })
})

/** What systemd has to say against it, other units of the machine aside. */
async function verify(file: string, scope: string, text: string): Promise<string> {
  if (!existsSync('/usr/bin/systemd-analyze')) throw new Error('systemd-analyze is missing: tools/system-packages.mjs')
  await writeFile(file, text)
  const args = [`--${scope}`, 'verify', '--man=no', '--recursive-errors=no', file]
  const env = { PATH: '/usr/bin:/bin', HOME: folder, XDG_RUNTIME_DIR: folder }
  const { stderr } = await promisify(execFile)('systemd-analyze', args, { env }).catch((error: unknown) => {
    if (error instanceof Error && 'stderr' in error) return { stderr: String(error.stderr) }
    throw error
  })
  return stderr
    .split('\n')
    .filter((line) => line.includes('toolhaven'))
    .join('\n')
}
