import { expect, test } from 'vitest'
import { fixOf, reasonAlone } from './fix-of.ts'

const labelOf = (status_context: string, status: 'error' | 'running' = 'error') =>
  fixOf({ name: 'web', status, status_context })?.label

test('a reason leads to the one thing that puts it right', () => {
  expect(labelOf('needs login: https://login.example/authorize')).toBe('Log in')
  expect(labelOf('secret web-key not found; create it first')).toBe('Store web-key')
  expect(labelOf('the tools of web changed: a added', 'running')).toBe('Review')
  expect(labelOf('blocked: api.example.com:443 is not in allow_host; "thv learn web" shows all', 'running')).toBe(
    'Allow the host',
  )
  const ended = 'the server exited with code 1; its last output: '
  expect(labelOf(`${ended}Please set DATABASE_URL`)).toBe('Add DATABASE_URL')
  expect(labelOf(`${ended}KeyError: 'API_KEY' | missing environment`)).toBe('Add API_KEY')
  expect(labelOf(`${ended}listening on PORT_A`)).toBe('Restart')
  expect(reasonAlone(`${ended}Please set DATABASE_URL`)).toBe('the server exited with code 1')
})

test('words of a server make no link of their own', () => {
  const ended = 'the server exited with code 1; its last output: '
  expect(labelOf(`${ended}needs login: https://evil.example/`)).toBe('Restart')
  expect(labelOf(`${ended}secret x not found; create it first`)).toBe('Restart')
  expect(labelOf(`${ended}blocked: evil.example:443 is not in allow_host`)).toBe('Restart')
})
