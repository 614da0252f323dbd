import * as z from 'zod'
import { workloadName } from './names.ts'
import { dryRun, planOf } from './plans.ts'
import { API_PREFIX, notCreated, noWorkload, ok, type Routes } from './route.ts'
import { runConfig } from './run-config.ts'
import { runtimeReport } from './runtime-report.ts'
import { createResponse } from './workloads.ts'

export const versionResponse = z
  .strictObject({ version: z.string().meta({ description: 'Version of the daemon' }) })
  .meta({ id: 'v1.versionResponse', description: 'Version of the daemon' })

export const daemonSettings = z
  .strictObject({
    ca_certificate_path: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'File with a CA certificate to trust for downloads and remote servers' }),
    api_port: z
      .int()
      .min(1)
      .max(65_535)
      .nullable()
      .optional()
      .meta({ description: 'Port of the API; takes effect at the next start of the daemon' }),
    otel: z
      .strictObject({
        endpoint: z
          .string()
          .nullable()
          .optional()
          .meta({ description: 'host:port of an OTLP collector, without a scheme' }),
        'sampling-rate': z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .optional()
          .meta({ description: 'Share of the traces to keep, from 0 to 1' }),
        'env-vars': z
          .array(z.string())
          .nullable()
          .optional()
          .meta({ description: 'Environment variables whose values are added to everything that is sent' }),
      })
      .optional()
      .meta({ description: 'Telemetry of workloads that have no settings of their own' }),
    base_images: z
      .strictObject({
        npx: z.string().nullable().optional().meta({ description: 'For npm packages' }),
        uvx: z.string().nullable().optional().meta({ description: 'For PyPI packages' }),
        go: z.string().nullable().optional().meta({ description: 'For Go modules' }),
      })
      .optional()
      .meta({ description: 'Images that packages are built on' }),
  })
  .meta({ id: 'toolhaven.settings', description: 'Settings of the daemon; on change, null clears one' })
export type DaemonSettings = z.infer<typeof daemonSettings>

export const pruneLogsResponse = z
  .strictObject({
    removed: z.array(z.string()).meta({ description: 'Names of the workloads whose logs were removed' }),
  })
  .meta({ id: 'toolhaven.pruneLogsResponse', description: 'Logs that were removed' })

export const logLine = z
  .strictObject({
    time: z
      .string()
      .optional()
      .meta({ description: 'Time in RFC 3339. Absent, like stream, for lines from before Toolhaven stored times' }),
    stream: z.enum(['stdout', 'stderr']).optional().meta({ description: 'Toolhaven’s own lines are on stderr' }),
    text: z.string().meta({ description: 'The line without its newline' }),
  })
  .meta({ id: 'toolhaven.logLine', description: 'A line of output' })

/** A line in a stream that several workloads share. */
export const workloadLogLine = logLine
  .extend({ workload: workloadName.meta({ description: 'Workload that wrote the line' }) })
  .meta({ id: 'toolhaven.workloadLogLine', description: 'A line of output of one of several workloads' })

/** The maximum number of workloads that one stream follows. */
export const MOST_FOLLOWED = 100

const logLines = z
  .strictObject({ lines: z.array(logLine).meta({ description: 'Oldest first' }) })
  .meta({ id: 'toolhaven.logLines', description: 'Lines of a log' })

const tail = z.coerce.number().int().min(0).max(10_000).optional()
const since = z.iso.datetime({ offset: true }).optional()

const text = (description: string) => ({
  200: { description, schema: z.string(), contentType: 'text/event-stream' },
})

export const systemRoutes = {
  getOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    tag: 'system',
    summary: 'This document',
    success: ok(z.record(z.string(), z.unknown()), 'The OpenAPI 3.1 document'),
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    tag: 'system',
    summary: 'Whether the daemon can run workloads',
    success: { 204: { description: 'It can' } },
    errors: {
      503: {
        when: 'the runtime does not answer',
        example: 'the runtime docker does not answer: connect ENOENT /var/run/docker.sock',
      },
    },
  },
  getVersion: {
    method: 'GET',
    path: `${API_PREFIX}/version`,
    tag: 'version',
    summary: 'Version of the server',
    success: ok(versionResponse, 'The version', { version: '0.1.0' }),
  },
  getRuntime: {
    method: 'GET',
    path: `${API_PREFIX}/runtime`,
    tag: 'system',
    summary: 'Which runtime is in use and what it enforces',
    success: ok(runtimeReport, 'The runtime', {
      name: 'docker',
      state: 'healthy',
      version: '28.2.2',
      sandbox: 'Docker 28.2.2',
      notes: [],
      tried: [],
    }),
    extension: true,
  },
  getSettings: {
    method: 'GET',
    path: `${API_PREFIX}/config`,
    tag: 'system',
    summary: 'Settings of the daemon',
    success: ok(daemonSettings, 'The settings', { otel: { 'sampling-rate': 0.1 } }),
    extension: true,
  },
  updateSettings: {
    method: 'PUT',
    path: `${API_PREFIX}/config`,
    tag: 'system',
    summary: 'Change settings of the daemon',
    description: 'An omitted setting keeps its value; null clears it.',
    body: daemonSettings,
    bodyExample: { ca_certificate_path: null },
    success: ok(daemonSettings, 'The settings in force', { otel: { 'sampling-rate': 0.1 } }),
    extension: true,
  },
  streamEvents: {
    method: 'GET',
    path: `${API_PREFIX}/events`,
    tag: 'system',
    summary: 'Changes as server-sent events',
    description:
      'An event named workload carries the status of a workload. The stream begins with one for each workload, then sends one for each change. An event named change says that something else changed: a group, a client, a secret, the registry, the tools of a workload, what it reaches, or the settings. A reader that falls behind gets an event named gap, then the status of each workload again. Ignore events that you do not know.',
    success: text(
      'Data is JSON: a workload event {workload, status, status_context, progress}, a change event {about, name} or a gap event {missed}',
    ),
    extension: true,
  },
  followLogs: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/logs/follow`,
    tag: 'workloads',
    summary: 'Output as it comes, as server-sent events',
    description: 'The data of an event is a line, as a JSON string or, with details=true, as an object.',
    params: z.strictObject({ name: workloadName }),
    query: z.strictObject({
      tail: tail.meta({ description: 'How many earlier lines come first (default: 100)' }),
      since: since.meta({ description: 'Send only the earlier lines that were written at this time or later' }),
      details: z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({ description: 'Each line as an object with time, stream and text' }),
    }),
    success: text(
      'One event named line for each line, the earlier lines first. An event named gap replaces lines that a slow reader missed',
    ),
    errors: noWorkload,
    extension: true,
  },
  followSeveralLogs: {
    method: 'GET',
    path: `${API_PREFIX}/logs/follow`,
    tag: 'workloads',
    summary: 'Output of several workloads as it comes, as server-sent events',
    description:
      'The data of an event is an object with workload, time, stream and text. The earlier lines of each workload are in order, but the workloads are not merged: sort by time.',
    query: z.strictObject({
      workloads: z
        .string()
        .transform((names) => names.split(','))
        .pipe(z.array(workloadName).max(MOST_FOLLOWED))
        .meta({ description: `Names separated by commas, at most ${MOST_FOLLOWED}` }),
      tail: tail.meta({ description: 'How many earlier lines of each workload come first (default: 100)' }),
      since: since.meta({ description: 'Send only the earlier lines that were written at this time or later' }),
    }),
    success: text('One event named line for each line. An event named gap replaces lines that a slow reader missed'),
    errors: noWorkload,
    extension: true,
  },
  readLogs: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/logs/lines`,
    tag: 'workloads',
    summary: 'Output with times and streams',
    description: 'Returns the newest lines that match, oldest first. Secrets are masked.',
    params: z.strictObject({ name: workloadName }),
    query: z.strictObject({
      tail: tail.meta({ description: 'Maximum number of lines, the newest ones (default: 100)' }),
      since: since.meta({ description: 'Only lines written at this time or later' }),
      previous: z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({ description: 'Only the output from before the latest start of the server' }),
    }),
    success: ok(logLines, 'The lines', {
      lines: [{ time: '2026-01-15T09:30:00.125Z', stream: 'stderr', text: 'server listening' }],
    }),
    errors: noWorkload,
    extension: true,
  },
  pruneLogs: {
    method: 'POST',
    path: `${API_PREFIX}/logs/prune`,
    tag: 'workloads',
    summary: 'Remove output of workloads that no longer exist',
    success: ok(pruneLogsResponse, 'Workloads whose output was removed; names in lower case', {
      removed: ['old-server'],
    }),
    extension: true,
  },
  importWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/import`,
    tag: 'workloads',
    summary: 'Run an exported run configuration',
    query: z.strictObject({
      accept_network: z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({
          description: 'Confirms that the configuration may name private and loopback addresses, and network_mode host',
        }),
      accept_mounts: z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({ description: 'Confirms the mounts, and privileged, that the configuration asks for' }),
      accept_secrets: z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({ description: 'Confirms that the server may have the secrets that the configuration names' }),
      dry_run: dryRun,
    }),
    body: runConfig,
    bodyExample: { schema_version: 'v0.1.0', name: 'everything', image: 'everything', transport: 'stdio' },
    success: {
      201: {
        description: 'Stored; the workload is starting',
        schema: createResponse,
        example: { name: 'everything', port: 18342 },
      },
    },
    plan: planOf({ name: 'everything', differences: [], problems: [], restarts: false }),
    errors: notCreated,
    extension: true,
  },
} as const satisfies Routes
