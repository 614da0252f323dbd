import { describe, expect } from 'vitest'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'
import { settle } from '@toolhaven/fakes/manual-clock'
import { done, scenario, send } from '@toolhaven/testing/scenario'

const CREATE = 'POST /api/v1beta/workloads'
const WEB = { name: 'web', image: 'npx://web@1.0.0' }
const PERMIT = 'permit(principal, action, resource);'
const CONFIG = { type: 'cedarv1', version: '1.0', cedar: { policies: [PERMIT], entities_json: '[]' } }
const authz = (config: unknown) => ({ ...WEB, authz_config: JSON.stringify(config) })

const read = async (fake: FakeDaemon, path: string): Promise<Record<string, unknown>> =>
  JSON.parse((await send(fake, `GET /api/v1beta/workloads/${path}`)).text)

function refused(what: string, body: object, text: RegExp): void {
  scenario(what, {
    request: CREATE,
    body,
    answers: { status: 400, text },
    afterwards: async (fake) =>
      expect((await send(fake, 'GET /api/v1beta/workloads?all=true')).text).not.toContain('web'),
  })
}

describe('policies', () => {
  scenario('reach the gateway and are shown as they were given', {
    request: CREATE,
    body: authz({ ...CONFIG, type: 'cedar', version: 'v1' }),
    answers: { status: 201 },
    afterwards: async (fake) => {
      await settle()
      expect(fake.gateway.endpoints.get('web')?.authorization).toEqual({ policies: [PERMIT], entitiesJson: '[]' })
      const shown = { ...CONFIG, version: 'v1' }
      expect(JSON.parse(String((await read(fake, 'web'))['authz_config']))).toEqual(shown)
      const exported = await read(fake, 'web/export')
      expect(exported['authz_config']).toEqual(shown)
      expect(exported['middleware_configs']).toContainEqual({
        type: 'authorization',
        parameters: { config_data: shown },
      })
      await done(fake, 'DELETE /api/v1beta/workloads/web')
      await settle()
      await done(fake, 'POST /api/v1beta/workloads/import', exported)
      expect(await read(fake, 'web/export')).toEqual(exported)
    },
  })
  scenario('are taken away by an empty value', {
    given: (fake) => done(fake, CREATE, authz(CONFIG)),
    request: 'POST /api/v1beta/workloads/web/edit',
    body: { authz_config: '' },
    answers: { status: 200 },
    afterwards: async (fake) => {
      await settle()
      expect(fake.gateway.endpoints.get('web')?.authorization).toBeUndefined()
      expect(await read(fake, 'web')).not.toHaveProperty('authz_config')
    },
  })
  refused(
    'that do not parse, each fault named',
    authz({ ...CONFIG, cedar: { policies: ['a', PERMIT, 'b'] } }),
    /policies\[0\].*policies\[2\]/,
  )
  refused('that are no JSON', { ...WEB, authz_config: '{' }, /^authz_config: is not JSON/)
  refused('without a policy', authz({ ...CONFIG, cedar: { policies: [] } }), /^authz_config: cedar\.policies/)
  refused('of another kind', authz({ ...CONFIG, type: 'rego' }), /^authz_config: type/)
  refused('of another version', authz({ ...CONFIG, type: 'cedar' }), /needs version "v1"/)
  refused(
    'in a file that is not there',
    { ...WEB, authz_config: 'policies.json' },
    /no file policies\.json below the configuration/,
  )
})

describe('audit', () => {
  scenario('reaches the gateway, with what is left out filled in', {
    request: CREATE,
    body: { ...WEB, audit_config: { event_types: ['mcp_tool_call'], log_file: 'calls.log' } },
    answers: { status: 201 },
    afterwards: async (fake) => {
      await settle()
      expect(fake.gateway.endpoints.get('web')?.audit).toEqual({
        component: 'web',
        eventTypes: ['mcp_tool_call'],
        excludeEventTypes: [],
        hasRequestData: false,
        hasResponseData: false,
        maxDataBytes: 1024,
        logFile: 'calls.log',
      })
      expect(await read(fake, 'web')).toMatchObject({ audit_config: { log_file: 'calls.log' } })
    },
  })
  const audit = (config: object) => ({ ...WEB, audit_config: config })
  refused('of an unknown event', audit({ event_types: ['mcp_tool_cal'] }), /^audit_config\.event_types/)
  refused('with too much data', audit({ max_data_size: 2_000_000 }), /^audit_config\.max_data_size/)
  refused('in a file that is not a log', audit({ log_file: '/home/me/.bashrc' }), /must end in/)
  refused('in a file by a relative path', audit({ log_file: '../calls.log' }), /must be a name/)
  refused(
    'through a link',
    audit({ log_file: '/link-to-root/calls.log' }),
    /leads to "\/"; use the real path of the file/,
  )
  refused('in a folder that is not there', audit({ log_file: '/nowhere/calls.log' }), /folder does not exist/)
})

describe('names of tools', () => {
  scenario('reach the gateway', {
    request: CREATE,
    body: { ...WEB, tools_override: { echo: { name: 'say', description: 'says it' } } },
    answers: { status: 201 },
    afterwards: async (fake) => {
      await settle()
      const given = { echo: { name: 'say', description: 'says it' } }
      expect(fake.gateway.endpoints.get('web')?.toolsOverride).toEqual(given)
      expect(await read(fake, 'web')).toMatchObject({ tools_override: given })
    },
  })
  const named = (overrides: object) => ({ ...WEB, tools_override: overrides })
  refused('that two tools would have', named({ a: { name: 'x' }, b: { name: 'x' } }), /a and b would both be called x/)
  refused('that another tool keeps', named({ a: { name: 'b' }, b: { description: 'x' } }), /would both be called b/)
  refused('that are empty', named({ a: { name: '' } }), /^tools_override/)
})
