import { unavailable } from '../../errors.ts'
import type { Host } from '../../ports/host.ts'

/** An instance started now would not be recorded, so nobody could stop it. */
export async function refuseWithoutState(host: Pick<Host, 'stateLoss'>): Promise<void> {
  const loss = await host.stateLoss?.()
  if (loss !== undefined)
    throw unavailable(`${loss}, so this daemon starts nothing; start another one with "thv serve"`)
}
