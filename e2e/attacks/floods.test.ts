import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const MEBIBYTE = 1 << 20
const platform = usePlatform('process')

describeAttack('a server that fills the disk with its log', {
  defence: 'the bound of a log',
  weaknesses: [
    {
      file: 'packages/stores/src/files/append-rotating.ts',
      find: 'if (size > 0 && size + Buffer.byteLength(text) > maxBytes) {',
      replace: 'if (size < 0) {',
    },
    {
      file: 'packages/stores/src/logs/log-writer.ts',
      find: 'const MAX_WAITING_BYTES = 1024 * 1024',
      replace: 'const MAX_WAITING_BYTES = 1024 ** 3',
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await build.start(home)
    await daemon.api.call('createWorkload', { body: { name: 'flood', image: here.fixture } })
    await untilStatus(daemon, 'flood', 'running')
    const { url } = await daemon.api.call('getWorkload', { params: { name: 'flood' } })
    await using connection = await connectMcp(url)
    await callText(connection, 'say', { text: 'x'.repeat(8191), times: 6 * 1024 })
    await daemon.api.call('getWorkloadLogs', { params: { name: 'flood' } })
    const folder = join(home.stateDir, 'logs')
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size))
    return { '48 MiB are kept': sizes.reduce((sum, size) => sum + size, 0) > 32 * MEBIBYTE }
  },
})
