import { useMutation } from '@tanstack/react-query'
import { api } from '../api.ts'

export type LifecycleVerb = 'restart' | 'stop' | 'delete'

export interface LifecycleChange {
  verb: LifecycleVerb
  names: [string, ...string[]]
}

const OPERATIONS = {
  restart: 'restartWorkloads',
  stop: 'stopWorkloads',
  delete: 'deleteWorkloads',
} as const

/** Asks for a change of one or more servers. What becomes of it comes with the events; nothing is shown before. */
export function useLifecycle() {
  return useMutation({
    mutationFn: ({ verb, names }: LifecycleChange) => api.call(OPERATIONS[verb], { body: { names } }),
  })
}
