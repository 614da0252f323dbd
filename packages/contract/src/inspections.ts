import * as z from 'zod'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, type Routes } from './route.ts'
import { taskEvents, taskStream } from './tasks.ts'

const port = z.int().min(1).max(65_535)

export const inspectRequest = z
  .strictObject({
    ui_port: port.meta({ description: 'Where the browser finds the Inspector on this machine' }),
    mcp_proxy_port: port.meta({ description: 'Its second port, which serves the pages of MCP Apps' }),
    version: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .meta({ description: 'Version of the Inspector (default: the one that Toolhaven is tested with)' }),
  })
  .meta({ id: 'toolhaven.inspectRequest', description: 'How the Inspector is reached' })
export type InspectRequest = z.infer<typeof inspectRequest>

export const inspectionReady = z.strictObject({
  state: z.literal('ready').meta({ description: 'The Inspector can be opened' }),
  url: z.string().meta({ description: 'Address for the browser, including the token' }),
  server_url: z.string().meta({ description: 'Address at which the Inspector reaches the workload' }),
  version: z.string().meta({ description: 'Version of the Inspector' }),
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
      'Runs the Inspector in isolation while the stream is read. It reaches only the workload, and serves only its own ports. ' +
      'Closing the stream ends the Inspector.',
    params: z.strictObject({ name: workloadName }),
    body: inspectRequest,
    bodyExample: { ui_port: 6274, mcp_proxy_port: 6277 },
    success: taskStream('Steps of the start, then ready; data is an inspection event as JSON'),
    errors: {
      ...noWorkload,
      409: {
        when: 'the workload is not running, or a port is taken',
        example: 'everything is stopped; the Inspector needs a running server',
      },
    },
    extension: true,
  },
} as const satisfies Routes
