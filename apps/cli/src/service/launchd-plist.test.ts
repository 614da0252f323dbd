import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { renderLaunchdPlist } from './launchd-plist.ts'

test('the property list says to another reader of such lists what was meant', () => {
  const command = ['/a b/node', '/<x> & "y"/thv.mjs', 'serve', '--port', '8080']
  const text = renderLaunchdPlist({
    command,
    env: { PATH: '/usr/bin:/bin', HTTP_PROXY: 'http://p/?a=1&b=2' },
    leftOut: [],
    secretsFile: '/Users/me/service.env',
    outputFile: '/Users/me/Library/Application Support/toolhaven/daemon.out',
    homeDir: '/Users/me',
  })
  const program = 'import json, plistlib, sys; json.dump(plistlib.loads(sys.stdin.buffer.read()), sys.stdout)'
  const read: unknown = JSON.parse(execFileSync('/usr/bin/python3', ['-c', program], { input: text, encoding: 'utf8' }))
  expect(read).toEqual({
    Label: 'toolhaven.daemon',
    ProgramArguments: command,
    EnvironmentVariables: { PATH: '/usr/bin:/bin', HTTP_PROXY: 'http://p/?a=1&b=2' },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ExitTimeOut: 45,
    StandardOutPath: '/Users/me/Library/Application Support/toolhaven/daemon.out',
    StandardErrorPath: '/Users/me/Library/Application Support/toolhaven/daemon.out',
  })
})
