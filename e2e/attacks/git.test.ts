import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import { type Captive, makeSharedFolder, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { usePlatform } from '../src/platform.ts'
import { untilRecovered } from '../src/statuses.ts'

const GUARDS = 'packages/core/src/workloads/running/hidden-files.ts'
const CANARY = 'only for the user'
const run = promisify(execFile)

/**
 * Git as the user runs it who owns the folder and everything that the server makes there, without the configuration of
 * this machine.
 */
const git = (folder: string, ...args: string[]) =>
  run('git', ['-c', 'safe.directory=*', '-c', 'user.name=u', '-c', 'user.email=u@example.test', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  }).catch(() => undefined)

/** A repository with a second one in it, as a submodule is, and hooks of its own. */
async function makeRepository(path: string): Promise<void> {
  for (const folder of [path, join(path, 'vendor/lib')]) {
    await mkdir(folder, { recursive: true })
    await git(folder, 'init', '-q')
    await git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
  }
  await mkdir(join(path, '.githooks'))
  await git(path, 'config', 'core.hooksPath', '.githooks')
  await run('chmod', ['-R', 'a+rwX', path])
}

/** What a server does in /proj, where the user calls Git afterwards, and what should run then. */
const ATTEMPTS: Readonly<Record<string, { where: string; script: string }>> = {
  'its hook': { where: '', script: "hook('/proj/.githooks')" },
  'its configuration': { where: '', script: "fs.appendFileSync('/proj/.git/config', monitor)" },
  'another common folder': {
    where: '',
    script: "repository('/proj/other'); fs.writeFileSync('/proj/.git/commondir', '../other')",
  },
  'another repository in its place': {
    where: '',
    script: "fs.renameSync('/proj/.git', '/proj/before'); repository('/proj/.git')",
  },
  'another folder above the inner repository': {
    where: 'vendor/lib',
    script: "fs.renameSync('/proj/vendor', '/proj/outer'); repository('/proj/vendor/lib/.git')",
  },
}

/** What Git runs leaves a file at `mark`. */
const TOOLS = `
const fs = require('node:fs')
const monitor = '[core]\\n\\tfsmonitor = "touch \\'' + mark + '\\'; false"\\n'
const hook = (folder) => {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(folder + '/pre-commit', '#!/bin/sh\\ntouch "' + mark + '"\\n', { mode: 0o755 })
}
const repository = (folder) => {
  for (const name of ['objects', 'refs']) fs.mkdirSync(folder + '/' + name, { recursive: true })
  fs.writeFileSync(folder + '/HEAD', 'ref: refs/heads/main\\n')
  fs.writeFileSync(folder + '/config', '[core]\\n\\trepositoryformatversion = 0\\n' + monitor)
}
process.umask(0)
`

/** Whether Git runs what the server wants after its attempt. */
async function isRun(captive: Captive, project: string, name: string): Promise<boolean> {
  await using marks = await makeSharedFolder()
  const mark = join(marks.path, 'ran')
  const { where = '', script = '' } = ATTEMPTS[name] ?? {}
  await captive.run('node', '-e', `const mark = '${mark}'\n${TOOLS}\ntry { ${script} } catch {}`)
  const folder = join(project, where)
  for (const args of [['status'], ['commit', '--allow-empty', '-m', 'x']]) await git(folder, ...args)
  return (await readdir(marks.path)).includes('ran')
}

describe.each(attackedPlatforms('mounts'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a server that wants Git to run its programs on this machine', {
    defence: 'the mounts over repositories and the folders above them',
    weaknesses: [
      { file: GUARDS, find: 'profile?.privileged ? []', replace: 'signal ? []' },
      {
        file: 'packages/stores/src/hiding/hiding.ts',
        find: 'if (!readOnly && (await isFolder(hostPath)))',
        replace: 'if (options === undefined)',
      },
    ],
    attack: async (build, context) => {
      await using project = await makeSharedFolder()
      await makeRepository(project.path)
      await using captive = await openCaptive(build, platform(context), { volumes: [`${project.path}:/proj`] })
      const gains: Record<string, boolean> = {}
      for (const name of Object.keys(ATTEMPTS)) gains[name] = await isRun(captive, project.path, name)
      return gains
    },
  })

  describeAttack('a server that renames the folder above what is kept from it', {
    defence: 'the mounts over the folders above',
    weaknesses: [
      { file: GUARDS, find: 'await pinnedFolders({ host }, mounts, [...guards, ...covers])', replace: '[]' },
    ],
    attack: async (build, context) => {
      await using project = await makeSharedFolder()
      await makeRepository(project.path)
      await mkdir(join(project.path, 'config'))
      await chmod(join(project.path, 'config'), 0o777)
      await writeFile(join(project.path, 'config/key'), CANARY)
      await writeFile(join(project.path, '.thvignore'), '/config/key\n')
      await using captive = await openCaptive(build, platform(context), { volumes: [`${project.path}:/proj`] })
      const inner = 'another folder above the inner repository'
      const gains = { [inner]: await isRun(captive, project.path, inner) }
      await captive.run('node', '-e', "try { require('node:fs').renameSync('/proj/config', '/proj/moved') } catch {}")
      await captive.daemon.api.call('restartWorkload', { params: { name: 'captive' } })
      await untilRecovered(captive.daemon, 'captive')
      const { url } = await captive.daemon.api.call('getWorkload', { params: { name: 'captive' } })
      await using connection = await connectMcp(url)
      const read =
        "for (const name of ['config', 'moved']) try { console.log(require('node:fs').readFileSync(`/proj/${name}/key`, 'utf8')) } catch {}"
      const seen = await callText(connection, 'run', { command: ['node', '-e', read] })
      return { ...gains, 'the hidden file, after a restart': seen.includes(CANARY) }
    },
  })
})
