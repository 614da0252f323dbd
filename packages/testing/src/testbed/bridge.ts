import { execFile } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { Unavailable } from './unavailable.ts'

const run = promisify(execFile)
const TRIES = 20

export interface Bridge extends AsyncDisposable {
  name: string
  /** The address of this machine on it. */
  address: string
}

/** Prefix for bridges of tests with this temporary folder: their names have room for 15 letters. */
export function bridgePrefix(temporaryFolder: string): string {
  return `thv${createHash('sha256').update(temporaryFolder).digest('hex').slice(0, 6)}`
}

/**
 * A network bridge for one private engine. On the default bridge, engines that do not know each other would assign the
 * same addresses: those of two test runs, or of a test run and the user's own Docker.
 */
export async function createBridge(): Promise<Bridge> {
  const name = `${bridgePrefix(tmpdir())}${randomBytes(3).toString('hex')}`
  await ip('link', 'add', 'name', name, 'type', 'bridge')
  try {
    const free = await freeAddress()
    await ip('addr', 'add', free, 'dev', name)
    await ip('link', 'set', name, 'up')
    const [address = ''] = free.split('/')
    return { name, address, [Symbol.asyncDispose]: () => ip('link', 'delete', name).then(() => undefined) }
  } catch (error) {
    await ip('link', 'delete', name)
    throw error
  }
}

async function freeAddress(): Promise<string> {
  const taken = await ip('-oneline', '-4', 'route', 'show', 'table', 'all')
  for (let tried = 0; tried < TRIES; tried += 1) {
    const network = `10.${randomInt(200, 250)}.${randomInt(0, 256)}`
    if (!taken.includes(`${network}.`)) return `${network}.1/24`
  }
  throw new Unavailable('no free network was found for a private Docker daemon')
}

async function ip(...args: string[]): Promise<string> {
  const { stdout } = await run('ip', args).catch((error: unknown) => {
    throw new Unavailable('a private Docker daemon needs a network bridge (ip, Debian package iproute2)', {
      cause: error,
    })
  })
  return stdout
}
