import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the forwarder for isolated workloads: beside the bundled program, or in the sources. */
export function forwarderFolder(): string {
  const shipped = join(import.meta.dirname, 'forwarder')
  return existsSync(shipped) ? shipped : join(import.meta.dirname, '../../../../packages/runtimes/forwarder')
}
