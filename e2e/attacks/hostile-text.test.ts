import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

/** Clears the screen, sets the title, goes back over earlier output, and reverses the direction of text. */
const HOSTILE = ['\u001B[2J', '\u001B]0;owned\u0007', '\r', '\u009B31m', '\u202Etxt.exe'].join('-')
// oxlint-disable-next-line no-control-regex -- that is what is looked for
const DRIVES = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/

function registryWith(text: string) {
  const env = { name: 'KEY', description: `key ${text}`, required: false }
  const common = { image: 'npx://x@1.0.0', tier: 'Community', status: 'active', transport: 'stdio' }
  const entry = {
    ...common,
    description: `about ${text}`,
    tools: [`tool${text}`],
    env_vars: [env],
    tags: [`tag${text}`],
  }
  return { version: '1.0.0', last_updated: '2026-01-15T00:00:00Z', servers: { hostile: entry }, remote_servers: {} }
}

const platform = usePlatform('process')

describeAttack('text of a server that drives the terminal', {
  defence: 'the taming of control characters',
  weaknesses: [
    {
      file: 'packages/contract/src/visible-text.ts',
      find: "return PLAIN.test(text) ? text : text.replaceAll(LINE_ENDS, ' ').replaceAll(UNSAFE, writtenOut)",
      replace: 'return text',
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await build.start(home)
    const file = join(home.dir, 'registry.json')
    await writeFile(file, JSON.stringify(registryWith(HOSTILE)))
    await daemon.api.call('updateRegistry', { params: { name: 'default' }, body: { local_path: file } })
    await daemon.api.call('createWorkload', { body: { name: 'talker', image: here.fixture } })
    await untilStatus(daemon, 'talker', 'running')
    const { url } = await daemon.api.call('getWorkload', { params: { name: 'talker' } })
    await using connection = await connectMcp(url)
    await callText(connection, 'say', { text: `said ${HOSTILE}` })
    // The error quotes the words of the file's author.
    await writeFile(join(home.dir, 'faulty.json'), JSON.stringify({ servers: { [`x${HOSTILE}`]: {} } }))
    const gains: Record<string, boolean> = {}
    for (const args of [
      ['logs', 'talker'],
      ['registry', 'list'],
      ['registry', 'info', 'hostile'],
      ['search', 'hostile'],
      ['config', 'set-registry', './faulty.json'],
    ]) {
      const { stdout, stderr } = await build.thv(home, args)
      gains[`thv ${args.join(' ')}`] = DRIVES.test(stdout + stderr)
    }
    return gains
  },
})
