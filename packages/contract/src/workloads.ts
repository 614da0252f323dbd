import * as z from 'zod'
import { groupName, workloadName } from './names.ts'
import { API_PREFIX, accepted, created, noGroup, notCreated, noWorkload, ok, type Routes } from './route.ts'
import { changedMeanwhile, changeQuery, editQuery, planOf } from './plans.ts'
import { networkMode, proxyMode, runConfig, transportType } from './run-config.ts'
import { createRequest, updateRequest } from './workload-request.ts'
import { workloadStatus } from './workload-status.ts'

export const workload = z
  .strictObject({
    name: workloadName,
    group: z.string().meta({ description: 'Group of the workload' }),
    status: workloadStatus.meta({ description: 'State of the workload' }),
    status_context: z.string().meta({ description: 'Progress, or the reason for the status; may be empty' }),
    port: z.int().meta({ description: 'Port that clients connect to' }),
    url: z.string().meta({ description: 'URL that clients connect to' }),
    package: z.string().meta({ description: 'The requested image or package' }),
    tool_type: z.literal('mcp').meta({ description: 'Always mcp' }),
    transport_type: transportType.meta({ description: 'How the server itself speaks MCP' }),
    proxy_mode: proxyMode.meta({ description: 'How clients reach it. An extension' }),
    remote: z.boolean().meta({ description: 'Whether it is a remote server. An extension' }),
    tools: z.array(z.string()).meta({ description: 'Tools that clients may use; empty: all tools' }),
    labels: z.record(z.string(), z.string()).meta({ description: 'Labels of the workload' }),
    network_mode: networkMode
      .optional()
      .meta({ description: 'Absent for a remote server, which does not run here. An extension' }),
    created_at: z.iso.datetime().meta({ description: 'When the workload was created' }),
  })
  .meta({ id: 'core.Workload', description: 'A workload in a list' })
export type Workload = z.infer<typeof workload>

export const startedImage = z
  .strictObject({
    digest: z.string().optional().meta({ description: 'Digest in its image registry; absent if no registry has it' }),
    verification: z.enum(['verified', 'unsigned', 'rejected', 'unreachable', 'no-provenance']).optional().meta({
      description:
        'Result of the last signature check. verified: a signature matches. unsigned: there is none. rejected: none matches. unreachable: the image registry or the trust root did not answer. no-provenance: the registry entry does not say who signs the image. Absent if nothing was checked',
    }),
    detail: z.string().optional().meta({ description: 'Who signed it, or why it is not verified' }),
  })
  .meta({ id: 'toolhaven.StartedImage', description: 'The image that runs, and what is known about who made it' })
export type StartedImage = z.infer<typeof startedImage>

/** The record and the configuration in force, in one object. */
export const workloadDetails = z
  .strictObject({
    ...createRequest.omit({ server_json: true }).shape,
    ...workload.shape,
    started_image: startedImage.optional().meta({ description: 'Image from which the workload ran. An extension' }),
  })
  .meta({ id: 'v1.workloadDetails', description: 'A workload with the configuration in force; secrets by name only' })
export type WorkloadDetails = z.infer<typeof workloadDetails>

export const workloadList = z
  .strictObject({ workloads: z.array(workload).meta({ description: 'The workloads' }) })
  .meta({ id: 'v1.workloadListResponse', description: 'Workloads' })
export const createResponse = z
  .strictObject({ name: workloadName, port: z.int().meta({ description: 'Port that clients connect to' }) })
  .meta({ id: 'v1.createWorkloadResponse', description: 'The stored workload' })
export const statusResponse = z
  .strictObject({ status: workloadStatus.meta({ description: 'State of the workload' }) })
  .meta({ id: 'v1.workloadStatusResponse', description: 'State of a workload' })

export const bulkRequest = z
  .strictObject({
    names: z
      .array(workloadName)
      .min(1, 'needs exactly one of names (not empty) or group')
      .optional()
      .meta({ description: 'Names of the workloads' }),
    group: groupName.optional().meta({ description: 'Group of the workloads' }),
  })
  .refine(
    ({ names, group }) => (group === undefined) !== (names === undefined),
    'needs exactly one of names (not empty) or group',
  )
  .meta({
    id: 'v1.bulkOperationRequest',
    description: 'Workloads by name, or all of a group',
    oneOf: [{ required: ['names'] }, { required: ['group'] }],
  })
export type BulkRequest = z.infer<typeof bulkRequest>

export const workloadRequest = z
  .strictObject({
    request: createRequest.meta({ description: 'The request that would create this workload again' }),
    hidden_headers: z
      .array(z.string())
      .meta({ description: 'Headers whose values are in the secret store; request does not contain them' }),
    revision: z.string().meta({
      description:
        'Revision of the configuration. An edit that names it is refused if another edit was made in the meantime',
    }),
  })
  .meta({
    id: 'toolhaven.workloadRequest',
    description: 'The original request, without defaults and values from the registry',
  })
export type WorkloadRequest = z.infer<typeof workloadRequest>

const listQuery = z.strictObject({
  all: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .optional()
    .meta({ description: 'Include stopped workloads' }),
  group: groupName.optional().meta({ description: 'Only the workloads of this group' }),
})

const params = z.strictObject({ name: workloadName })
const tag = 'workloads'

const exampleWorkload: Workload = {
  name: 'everything',
  group: 'default',
  status: 'running',
  status_context: '',
  port: 18342,
  url: 'http://127.0.0.1:18342/mcp',
  package: 'npx://@modelcontextprotocol/server-everything@2026.1.26',
  tool_type: 'mcp',
  transport_type: 'stdio',
  proxy_mode: 'streamable-http',
  remote: false,
  tools: [],
  labels: {},
  network_mode: 'isolated',
  created_at: '2026-01-15T09:30:00Z',
}

export const workloadRoutes = {
  listWorkloads: {
    method: 'GET',
    path: `${API_PREFIX}/workloads`,
    tag,
    summary: 'List workloads',
    description: 'Lists the workloads that should run, whatever their status; with all=true, every workload.',
    query: listQuery,
    success: ok(workloadList, 'Workloads, sorted by name', { workloads: [exampleWorkload] }),
    errors: noGroup,
  },
  createWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads`,
    tag,
    summary: 'Create and run a workload',
    description: 'Answers when the request is checked and stored. Fetching and starting continue in the background.',
    query: changeQuery,
    body: createRequest,
    bodyExample: { name: 'everything', image: 'everything' },
    success: created(createResponse, 'Stored; the workload is starting', { name: 'everything', port: 18342 }),
    plan: planOf({
      name: 'everything',
      differences: [{ field: 'name', after: 'everything' }],
      problems: [{ status: 404, field: 'group', message: 'group research not found; create it first' }],
      restarts: false,
    }),
    errors: notCreated,
  },
  getWorkload: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}`,
    tag,
    summary: 'Get a workload with its configuration',
    params,
    success: ok(workloadDetails, 'The workload', { ...exampleWorkload, image: 'everything', transport: 'stdio' }),
    errors: noWorkload,
  },
  deleteWorkload: {
    method: 'DELETE',
    path: `${API_PREFIX}/workloads/{name}`,
    tag,
    summary: 'Delete a workload',
    params,
    success: accepted,
    errors: noWorkload,
  },
  editWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/edit`,
    tag,
    summary: 'Edit a workload and run it',
    description:
      'An omitted field keeps its value; null or an empty value clears it. The port stays. If the body holds only a group, the workload moves without a restart, and a stopped one stays stopped.',
    params,
    query: editQuery,
    body: updateRequest,
    bodyExample: { tools: ['echo'] },
    success: ok(createResponse, 'Stored; the workload is restarting', { name: 'everything', port: 18342 }),
    plan: planOf({
      name: 'everything',
      port: 18342,
      configuration: { schema_version: 'v0.1.0', name: 'everything', transport: 'stdio', tools_filter: ['echo'] },
      differences: [{ field: 'tools_filter', after: ['echo'] }],
      problems: [],
      restarts: true,
    }),
    errors: {
      404: {
        when: 'unknown workload, group or secret, or no secrets provider',
        example: 'group research not found; create it first',
      },
      409: changedMeanwhile,
    },
  },
  exportWorkload: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/export`,
    tag,
    summary: 'Export the run configuration',
    params,
    success: ok(runConfig, 'The run configuration', {
      schema_version: 'v0.1.0',
      name: 'everything',
      image: 'npx://@modelcontextprotocol/server-everything@2026.1.26',
      transport: 'stdio',
    }),
    errors: noWorkload,
  },
  getWorkloadRequest: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/request`,
    tag,
    summary: 'Get the original request',
    description:
      'Returns the request that created the workload, with every edit since, but without defaults and values from the registry.',
    params,
    success: ok(workloadRequest, 'The request', {
      request: { name: 'everything', image: 'everything' },
      hidden_headers: [],
      revision: '5f2c8d1e90ab34c7',
    }),
    errors: noWorkload,
    extension: true,
  },
  getWorkloadLogs: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/logs`,
    tag,
    summary: 'Last 100 lines of output',
    params,
    success: {
      200: {
        description: 'Oldest line first',
        schema: z.string(),
        contentType: 'text/plain',
        example: 'server listening\n',
      },
    },
    errors: noWorkload,
  },
  restartWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/restart`,
    tag,
    summary: 'Restart a workload',
    params,
    success: accepted,
    errors: noWorkload,
  },
  getWorkloadStatus: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/status`,
    tag,
    summary: 'Get the status',
    params,
    success: ok(statusResponse, 'The status', { status: 'running' }),
    errors: noWorkload,
  },
  stopWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/stop`,
    tag,
    summary: 'Stop a workload',
    params,
    success: accepted,
    errors: noWorkload,
  },
  deleteWorkloads: bulkRoute('delete', 'Delete several workloads'),
  restartWorkloads: bulkRoute('restart', 'Restart several workloads'),
  stopWorkloads: bulkRoute('stop', 'Stop several workloads'),
} as const satisfies Routes

function bulkRoute<Verb extends 'delete' | 'restart' | 'stop'>(verb: Verb, summary: string) {
  return {
    method: 'POST',
    path: `${API_PREFIX}/workloads/${verb}`,
    tag,
    summary,
    body: bulkRequest,
    bodyExample: { names: ['everything', 'time'] },
    success: accepted,
    errors: {
      404: {
        when: 'unknown group, or unknown names (the answer lists all of them); nothing is done',
        example: 'workload everything, time not found; nothing was done',
      },
    },
  } as const
}
