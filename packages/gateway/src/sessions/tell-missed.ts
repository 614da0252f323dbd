import { isObject, type JsonObject } from '../messages/json-rpc.ts'
import type { Session } from './session.ts'

const LISTS = ['tools', 'prompts', 'resources']

/**
 * A server that was away cannot say what changed in the meantime, and what it said while nobody listened is lost. So
 * its clients are told that everything they want to hear about may have changed.
 */
export function tellMissed(session: Session, { capabilities }: JsonObject): void {
  // It cannot have missed anything of a server that it never had.
  if (!session.isServed) return
  const features = isObject(capabilities) ? capabilities : {}
  for (const list of LISTS) {
    const feature = features[list]
    if (isObject(feature) && feature['listChanged'] === true)
      tell(session, { method: `notifications/${list}/list_changed` })
  }
  for (const uri of session.subscriptions) tell(session, { method: 'notifications/resources/updated', params: { uri } })
}

function tell(session: Session, notification: JsonObject): void {
  session.send(JSON.stringify({ jsonrpc: '2.0', ...notification }))
}
