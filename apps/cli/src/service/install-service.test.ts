import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { installService, uninstallService } from './install-service.ts'
import type { ServicePlan } from './service-plan.ts'
import { createSystemd } from './systemd.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thv-install-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const plan = (): ServicePlan => ({
  command: ['/usr/bin/node', '/opt/thv.mjs', 'serve'],
  env: {},
  leftOut: ['THV_API_TOKEN'],
  secretsFile: join(folder, 'service.env'),
  outputFile: join(folder, 'daemon.out'),
  homeDir: folder,
})
const never = new AbortController().signal
const calls = async () => (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).trim().split('\n')

/** systemd as far as its command shows it: what it was told is written down, and the service is in the given state. */
async function systemdThatSays(state: string, scope: 'user' | 'system' = 'user') {
  for (const name of ['systemctl', 'loginctl']) {
    const file = join(folder, name)
    await writeFile(
      file,
      `#!/bin/sh\necho "${name} $*" >> '${folder}/calls'\n${name === 'loginctl' ? 'exit 1' : state}\n`,
    )
    await chmod(file, 0o755)
  }
  const env = { PATH: `${folder}:/usr/bin:/bin`, XDG_CONFIG_HOME: folder }
  return createSystemd({ env, homeDir: folder, userName: 'me', scope })
}

describe('a service', () => {
  test('is written, enabled and started once, and only started when it is installed again', async () => {
    const manager = await systemdThatSays('echo MainPID=42; echo SubState=running')
    const installed = await installService(manager, plan(), (pid) => Promise.resolve(pid === 42), never)
    expect(installed).toMatchObject({ file: join(folder, 'systemd/user/toolhaven.service'), changed: true })
    expect(installed.notes[0]).toContain('sudo loginctl enable-linger me')
    expect(installed.notes[1]).toContain(`THV_API_TOKEN. If the daemon needs them, put them into ${folder}/service.env`)
    expect(await calls()).toEqual([
      'systemctl --user show-environment',
      'systemctl --user daemon-reload',
      'systemctl --user enable toolhaven.service',
      'systemctl --user restart toolhaven.service',
      'systemctl --user show --property=MainPID,SubState toolhaven.service',
      'loginctl --no-ask-password enable-linger',
    ])
    expect(await installService(manager, plan(), () => Promise.resolve(true), never)).toMatchObject({ changed: false })
    expect(await calls()).toContain('systemctl --user start toolhaven.service')
    expect(await uninstallService(manager, never)).toBe(true)
    expect(await calls()).toContain('systemctl --user disable --now toolhaven.service')
    expect(await uninstallService(manager, never)).toBe(false)
  })

  test('that ends at once is taken back, and the error says where to look', async () => {
    const manager = await systemdThatSays('echo MainPID=0; echo SubState=auto-restart')
    await expect(installService(manager, plan(), () => Promise.resolve(false), never)).rejects.toThrow(
      'the daemon of the service exited\n"journalctl --user -u toolhaven" shows why.',
    )
    await expect(readFile(manager.file)).rejects.toThrow('ENOENT')
  })

  test('is refused where no systemd runs, with what to do instead', async () => {
    const none = 'echo "Failed to connect to bus: No such file or directory" >&2; exit 1'
    await expect(
      installService(await systemdThatSays(none), plan(), () => Promise.resolve(true), never),
    ).rejects.toThrow(
      /^your user has no systemd instance here \(Failed to connect to bus: .*\)\nStart "thv serve" with/,
    )
    await expect((await systemdThatSays(none, 'system')).ensureUsable(never)).rejects.toThrow(
      'this machine does not run systemd',
    )
    const without = createSystemd({ env: { PATH: folder }, homeDir: folder, userName: 'me', scope: 'user' })
    await rm(join(folder, 'systemctl'))
    await expect(without.ensureUsable(never)).rejects.toThrow('ENOENT')
  })

  test('of the machine is only touched by whose home it starts the daemon of', async () => {
    const manager = await systemdThatSays('exit 0', 'system')
    expect(manager.file).toBe('/etc/systemd/system/toolhaven.service')
    const text = manager.render(plan())
    expect(manager.owns(text)).toBe(true)
    expect(manager.owns(text.replace(folder, '/home/other'))).toBe(false)
  })
})
