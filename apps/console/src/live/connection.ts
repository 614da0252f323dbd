import { queryOptions, useQuery } from '@tanstack/react-query'

export type Connection =
  | { state: 'connecting' }
  | { state: 'live' }
  /** `refusal`: why the link in the address did not log the browser in. */
  | { state: 'locked'; refusal?: string }
  | { state: 'away'; since: number; reason: string }

/** Not narrowed to the value that it begins with. */
const begin = (): Connection => ({ state: 'connecting' })

/** Lies in the cache like everything else that is shown, but only the event stream writes it. */
export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: begin,
  initialData: begin,
  enabled: false,
})

export function useConnection(): Connection {
  return useQuery(connectionQuery).data
}
