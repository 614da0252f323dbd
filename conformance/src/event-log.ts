import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/** What was sent on each stream of a session, for clients that come back. */
export function eventLog(): EventStore {
  const events: { streamId: string; message: JSONRPCMessage }[] = []
  return {
    storeEvent: async (streamId, message) => String(events.push({ streamId, message }) - 1),
    getStreamIdForEventId: async (eventId) => events[Number(eventId)]?.streamId,
    async replayEventsAfter(lastEventId, { send }) {
      const after = Number(lastEventId)
      const streamId = events[after]?.streamId
      if (streamId === undefined) throw new Error('This event is not known here.')
      for (const [index, event] of events.entries())
        // The first of a stream only gives its client an id to come back with.
        if (index > after && event.streamId === streamId && 'jsonrpc' in event.message)
          await send(String(index), event.message)
      return streamId
    },
  }
}
