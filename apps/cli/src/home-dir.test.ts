import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Nobody's on any machine. */
const NO_ACCOUNT = 1_999_999_999

const runAs = (script: string, env: Record<string, string>) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    ...{ uid: NO_ACCOUNT, gid: NO_ACCOUNT, env, cwd: '/', encoding: 'utf8' },
  })

const moduleOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

test('a user without an account is told to set HOME, and has a service manager with it', (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can be another user')
  const print = `console.log(findServiceManager(process.env).file)`
  const script = `const { findServiceManager } = await import(${moduleOf('service/find-service-manager.ts')})\n${print}`
  const without = runAs(script, {})
  expect(without.status).not.toBe(0)
  expect(without.stderr).toContain(`HOME is not set, and user ${NO_ACCOUNT} has no home folder`)
  const withHome = runAs(script, { HOME: '/nonexistent' })
  expect(withHome, withHome.stderr).toMatchObject({ status: 0 })
  expect(withHome.stdout).toContain('/nonexistent/.config/systemd/user/')
})
