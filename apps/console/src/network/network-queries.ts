import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '@toolhaven/contract/client'
import { api } from '../api.ts'

/** Nothing was seen of it, or nothing of it runs now. */
function orNone(error: unknown): null {
  if (error instanceof ApiError && error.status === 409) return null
  throw error
}

/** What it asked for, and the smallest profile with which that works. Null: nothing was seen of it. */
export const lessonQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'lesson'],
    queryFn: ({ signal }) => api.call('getLesson', { params: { name } }, signal).catch(orNone),
  })

/** What confines it now. Null: nothing of it runs. */
export const confinementQuery = (name: string) =>
  queryOptions({
    queryKey: ['workload', name, 'confinement'],
    queryFn: ({ signal }) => api.call('getIsolation', { params: { name } }, signal).catch(orNone),
  })
