import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { forwarderFinder, forwarderLack } from '../../src/isolation/forwarder-program.ts'
import { socatFinder } from '../../src/isolation/socat.ts'

/** What isolated instances need, below a folder of the test. */
export function testIsolation(folder: string, env = process.env) {
  const sourceDir = fileURLToPath(new URL('../../forwarder', import.meta.url))
  const options = { sourceDir, dataDir: folder, env }
  return {
    socketDir: join(folder, 'i'),
    forwarder: forwarderFinder(options),
    lack: () => forwarderLack(options),
    socat: socatFinder(env),
  }
}
