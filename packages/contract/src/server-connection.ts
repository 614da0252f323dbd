import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, type ErrorDefs, type Routes } from './route.ts'

const route = {
  path: `${API_PREFIX}/workloads/{name}/mcp`,
  tag: 'workloads',
  params: z.strictObject({ name: workloadName.meta({ description: 'Name of the workload' }) }),
  extension: true,
} as const

const errors = {
  404: {
    when: 'no workload of that name',
    example: 'workload everything not found; GET /api/v1beta/workloads?all=true lists them',
  },
  409: {
    when: 'the workload is not reachable',
    example: 'workload everything cannot be reached: it is stopped; start it first',
  },
} as const satisfies ErrorDefs

const passedOn =
  'Forwards the request unchanged to the port of the workload, so the same limits, authentication, policies, lock and audit apply as for any client. Returns the answer unchanged, errors included. Forwards an Authorization header unless it holds the API token.'

export const serverConnectionRoutes = {
  sendToServer: {
    ...route,
    method: 'POST',
    summary: 'Send an MCP message to a workload',
    description: passedOn,
    success: {
      200: {
        description: 'What the workload answers: JSON, or server-sent events',
        schema: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors,
  },
  listenToServer: {
    ...route,
    method: 'GET',
    summary: 'Listen to the messages of a workload',
    description: passedOn,
    success: { 200: { description: 'Server-sent events', schema: z.string(), contentType: 'text/event-stream' } },
    errors,
  },
  endServerSession: {
    ...route,
    method: 'DELETE',
    summary: 'End an MCP session at a workload',
    description: passedOn,
    success: {
      200: { description: 'What the workload answers', schema: z.string(), contentType: 'text/plain', example: '' },
    },
    errors,
  },
} as const satisfies Routes
