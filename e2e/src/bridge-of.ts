import * as z from 'zod'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'

const networkSchema = z.looseObject({
  IPAM: z.looseObject({ Config: z.array(z.looseObject({ Gateway: z.string() })) }),
})

/** Where a build inside the engine reaches this machine. */
export async function bridgeOf(engine: Engine): Promise<string> {
  const network = networkSchema.parse(JSON.parse(await engineMust(engine.socketPath, 'GET', '/networks/bridge')))
  return z.string().parse(network.IPAM.Config[0]?.Gateway)
}
