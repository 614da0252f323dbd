import { expect, test } from 'vitest'
import { expandTemplate } from './offers.ts'

test('a template becomes an address as RFC 6570 has it', () => {
  const values = { var: 'a b', path: '/x/y', list: 'é' }
  expect(expandTemplate('u://{var}', values)).toBe('u://a%20b')
  expect(expandTemplate('u://{+path}/here', values)).toBe('u:///x/y/here')
  expect(expandTemplate('u://h{/var,list}', values)).toBe('u://h/a%20b/%C3%A9')
  expect(expandTemplate('u://h{?var,none}{&list}', values)).toBe('u://h?var=a%20b&list=%C3%A9')
  expect(expandTemplate('u://h{#path}{;var}', values)).toBe('u://h#/x/y;var=a%20b')
})

test('a variable without a value is left out, also one that every object has', () => {
  expect(expandTemplate('u://{constructor}/{none}', {})).toBe('u:///')
})
