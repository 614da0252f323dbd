import { expect, test } from 'vitest'
import { CERTIFICATE, changesOf, settingCommand, settingsChange, TELEMETRY } from './setting-fields.ts'

const settings = { otel: { endpoint: 'otel:4318', 'sampling-rate': 0.1, 'env-vars': ['A', 'B'] } }

test('only what was changed is sent, and an emptied field clears its setting', () => {
  const typed = new Map([
    ['Endpoint', ' otel:4318 '],
    ['Share of calls that are traced', '0.5'],
    ['Variables to add', ''],
  ])
  const changes = changesOf(TELEMETRY, settings, typed)
  expect(settingsChange(changes)).toEqual({ otel: { 'sampling-rate': 0.5, 'env-vars': null } })
  expect(changes.map(settingCommand)).toEqual([
    'thv config otel set-sampling-rate 0.5',
    'thv config otel unset-env-vars',
  ])
})

test('a list is read and written with commas, and a path with spaces is quoted in the command', () => {
  const variables = TELEMETRY.find(({ label }) => label === 'Variables to add')
  expect(variables?.read(settings)).toBe('A, B')
  expect(variables?.change('A,B  C')).toEqual({ otel: { 'env-vars': ['A', 'B', 'C'] } })
  const [change] = changesOf(CERTIFICATE, {}, new Map([['Certificate file', '/etc/my certs/ca.pem']]))
  expect(change && settingCommand(change)).toBe("thv config set-ca-cert '/etc/my certs/ca.pem'")
})
