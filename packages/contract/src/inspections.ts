import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, type Routes } from './route.ts'
import { taskEvents, taskStream } from './tasks.ts'

const port = z.int().min(1).max(65_535)

export const inspectRequest = z
  .strictObject({
    ui_port: port.meta({ description: 'Where the browser finds the Inspector on this machine' }),
    mcp_proxy_port: port.meta({ description: 'Its second port, from which it shows the pages of MCP Apps' }),
    version: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: 'Of the Inspector; left out: the one we tested' }),
  })
  .meta({ id: 'toolhaven.inspectRequest', description: 'How the Inspector is reached' })
export type InspectRequest = z.infer<typeof inspectRequest>

export const inspectionReady = z.strictObject({
  state: z.literal('ready').meta({ description: 'The Inspector can be opened' }),
  url: z.string().meta({ description: 'For the browser; its token is in it' }),
  server_url: z.string().meta({ description: 'The workload, as the Inspector reaches it' }),
  version: z.string().meta({ description: 'Of the Inspector' }),
})

export const inspectionEvent = z
  .discriminatedUnion('state', [...taskEvents, inspectionReady])
  .meta({ id: 'toolhaven.inspectionEvent', description: 'Data of one server-sent event of an inspection' })
export type InspectionEvent = z.infer<typeof inspectionEvent>

export const inspectionRoutes = {
  inspectWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/inspect`,
    tag: 'workloads',
    summary: 'Run the MCP Inspector for a workload',
    description:
      'Runs the Inspector in isolation, with no network but its own ports and the way to the workload, for as long as the ' +
      'stream is read; leaving it ends the Inspector.',
    params: z.strictObject({ name: workloadName }),
    body: inspectRequest,
    bodyExample: { ui_port: 6274, mcp_proxy_port: 6277 },
    success: taskStream('Steps of the start, then ready; data is an inspection event as JSON'),
    errors: {
      ...noWorkload,
      409: {
        when: 'the workload does not run, or a port is taken',
        example: 'everything is stopped; the Inspector needs a server that runs',
      },
    },
    extension: true,
  },
} as const satisfies Routes
