import * as z from 'zod'
import { AUDIT_EVENT_TYPES } from './audit.ts'

/** What is recorded about the calls of a workload: the audit log, traces and metrics. */

const auditEventType = z.enum(AUDIT_EVENT_TYPES)

export const auditConfig = z
  .strictObject({
    component: z
      .string()
      .optional()
      .meta({ description: 'Name of the component in each record (default: name of the workload)' }),
    event_types: z.array(auditEventType).optional().meta({ description: 'Types of events to record (default: all)' }),
    exclude_event_types: z.array(auditEventType).optional().meta({ description: 'Takes precedence over event_types' }),
    include_request_data: z.boolean().optional().meta({ description: 'Record the parameters of each request' }),
    include_response_data: z.boolean().optional().meta({ description: 'Record the result of each request' }),
    log_file: z.string().optional().meta({
      description: 'A file name in the audit folder, or an absolute path (default: the output of the daemon)',
    }),
    max_data_size: z
      .int()
      .min(0)
      .max(1_048_576)
      .optional()
      .meta({ description: 'Maximum number of bytes to record of a request or answer (default: 1024)' }),
  })
  .meta({ id: 'audit.Config', description: 'What the audit log records, and where' })

export const telemetryConfig = z
  .strictObject({
    endpoint: z.string().optional().meta({ description: 'host:port of an OTLP collector, without a scheme' }),
    serviceName: z
      .string()
      .optional()
      .meta({ description: 'Service name in traces and metrics (default: name of the workload)' }),
    serviceVersion: z.string().optional().meta({ description: 'Service version in traces and metrics' }),
    samplingRate: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: 'Share of the traces to keep, for traces that begin here (default: 0.1)' }),
    insecure: z.boolean().optional().meta({ description: 'Use plain HTTP for a collector on another machine' }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Headers sent to the collector, such as an API key' }),
    environmentVariables: z
      .array(z.string())
      .optional()
      .meta({ description: 'Environment variables whose values are added to everything that is sent' }),
    enablePrometheusMetricsPath: z
      .boolean()
      .optional()
      .meta({ description: 'Serve metrics for Prometheus at /metrics on the port of the workload' }),
  })
  .meta({ id: 'telemetry.Config', description: 'Where traces and metrics of the workload go' })
