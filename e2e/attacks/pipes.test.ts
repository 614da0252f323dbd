import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import type { Build } from '../src/attacks/build.ts'
import { type Captive, makeSharedFolder, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { type Platform, usePlatform } from '../src/platform.ts'
import { untilReport } from '../src/statuses.ts'

const ORDER = 'an order to a program outside'
const WRITE = `require('node:fs').appendFileSync('/shared/orders', '${ORDER}')`

/** A program of this machine that takes orders from a named pipe in the folder. */
async function takeOrders(folder: string) {
  const pipe = join(folder, 'orders')
  execFileSync('mkfifo', ['-m', '666', pipe])
  // Opened for both, so that neither end waits for the other.
  const file = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  return {
    async taken(): Promise<string> {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(1_000) }).catch(() => ({
        bytesRead: 0,
        buffer: Buffer.alloc(0),
      }))
      return buffer.toString('utf8', 0, bytesRead)
    },
    [Symbol.asyncDispose]: () => file.close(),
  }
}

async function orders({ daemon }: Captive, { fixture: image }: Platform, volume: string, name: string): Promise<void> {
  await daemon.api.call('createWorkload', { body: { name, image, volumes: [volume] } })
  await untilReport(daemon, name, 'running or in error', ({ status }) => status === 'running' || status === 'error')
  const { status, url } = await daemon.api.call('getWorkload', { params: { name } })
  if (status !== 'running') return
  await using connection = await connectMcp(url)
  await callText(connection, 'run', { command: ['node', '-e', WRITE] })
}

async function orderThrough(build: Build, here: Platform, mode: string): Promise<boolean> {
  await using folder = await makeSharedFolder()
  await using program = await takeOrders(folder.path)
  await using captive = await openCaptive(build, here)
  await orders(captive, here, `${folder.path}:/shared${mode}`, 'orders')
  return (await program.taken()) === ORDER
}

describe.each(attackedPlatforms('mounts'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a server that writes into a named pipe of this machine', {
    defence: 'the search for pipes in mounted folders',
    weaknesses: [
      {
        file: 'packages/runtimes/src/isolation/refuse-pipe-mounts.ts',
        find: 'if (!isFolder && !entry.isFIFO()) continue',
        replace: 'if (!isFolder) continue',
      },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      return {
        'through a writable mount': await orderThrough(build, here, ''),
        'through a read-only mount': await orderThrough(build, here, ':ro'),
      }
    },
  })
})
