import type { RunConfig } from '@toolhaven/contract/run-config'
import { describe, expect, it } from 'vitest'
import { checkTelemetry, telemetrySpec, type TelemetryDefaults } from './telemetry.ts'

const config = (telemetry: RunConfig['telemetry_config'], rest: Partial<RunConfig> = {}): RunConfig => ({
  schema_version: 'v0.1.0',
  name: 'shop',
  transport: 'stdio',
  ...(telemetry && { telemetry_config: telemetry }),
  ...rest,
})
const none: TelemetryDefaults = { variable: () => undefined }

describe('what the gateway is told', () => {
  it('is nothing when nobody named a collector or wants a page of metrics', () => {
    expect(telemetrySpec(config(undefined), none)).toBeUndefined()
    expect(telemetrySpec(config({ samplingRate: 1, serviceName: 'x' }), none)).toBeUndefined()
  })

  it('is the workload’s own where it says something, else the daemon’s, else the usual', () => {
    const defaults = { ...none, endpoint: 'localhost:4318', samplingRate: 0.5 }
    expect(telemetrySpec(config(undefined), defaults)).toEqual({
      endpoint: 'http://localhost:4318',
      serviceName: 'shop',
      samplingRate: 0.5,
      attributes: {},
      hasMetricsPath: false,
    })
    const own = { endpoint: 'otel.example.com:4318', samplingRate: 0, serviceName: 's', serviceVersion: '1' }
    expect(telemetrySpec(config({ ...own, headers: { a: 'b' } }), defaults)).toEqual({
      endpoint: 'https://otel.example.com:4318',
      headers: { a: 'b' },
      serviceName: 's',
      serviceVersion: '1',
      samplingRate: 0,
      attributes: {},
      hasMetricsPath: false,
    })
    expect(telemetrySpec(config({ enablePrometheusMetricsPath: true }), none)).toEqual({
      serviceName: 'shop',
      samplingRate: 0.1,
      attributes: {},
      hasMetricsPath: true,
    })
  })

  it.each([
    ['localhost:4318', undefined, 'http://localhost:4318'],
    ['127.0.0.1:4318/', undefined, 'http://127.0.0.1:4318'],
    ['[::1]:4318', undefined, 'http://[::1]:4318'],
    ['localhost:4318', false, 'https://localhost:4318'],
    ['collector:4318', undefined, 'https://collector:4318'],
    ['collector:4318', true, 'http://collector:4318'],
    ['127.0.0.1.example.com', undefined, 'https://127.0.0.1.example.com'],
    ['api.example.com/otlp/', undefined, 'https://api.example.com/otlp'],
  ])('has %s with insecure %s as %s', (endpoint, insecure, address) => {
    const own = { endpoint, ...(insecure !== undefined && { insecure }) }
    expect(telemetrySpec(config(own), none)?.endpoint).toBe(address)
  })

  it('is an error in words when the daemon’s own setting is not an address', () => {
    expect(() => telemetrySpec(config(undefined), { ...none, endpoint: 'host:99999' })).toThrow(/not host:port/)
  })

  it('has the values of the variables that were named, and never one that looks like a secret', () => {
    const env: Record<string, string> = { REGION: 'north', STAGE: 'test', DB_PASSWORD: 'hunter2', THV_HOST: 'x' }
    const defaults = { endpoint: 'c:1', envVars: ['REGION', 'STAGE', 'NONE', 'DB_PASSWORD', 'THV_HOST'] }
    const spec = telemetrySpec(config(undefined, { env_vars: { STAGE: 'live' } }), {
      ...defaults,
      variable: (name) => env[name],
    })
    expect(spec?.attributes).toEqual({ 'environment.REGION': 'north', 'environment.STAGE': 'live' })
  })
})

describe('a request', () => {
  it.each([
    [{ endpoint: 'http://localhost:4318' }, /without a scheme/],
    [{ endpoint: 'user:password@host:4318' }, /host:port/],
    [{ endpoint: 'host:99999' }, /host:port/],
    [{ endpoint: 'host:4318?a=b' }, /host:port/],
    [{ headers: { 'a b': 'c' } }, /headers/],
    [{ headers: { a: 'b\r\nc: d' } }, /headers/],
    [{ environmentVariables: ['A=B'] }, /names of variables/],
    [{ environmentVariables: ['GITHUB_TOKEN'] }, /looks like a secret/],
    [{ environmentVariables: ['THV_API_TOKEN'] }, /looks like a secret/],
  ])('%j is refused', (asked, why) => {
    expect(() => checkTelemetry(asked)).toThrow(why)
  })

  it('with what a collector needs is taken', () => {
    checkTelemetry({ endpoint: 'localhost:4318', headers: { authorization: 'Bearer x' } })
    checkTelemetry({ endpoint: 'otel.example.com/otlp', environmentVariables: ['NODE_ENV', 'MONKEY_TYPE'] })
  })
})
