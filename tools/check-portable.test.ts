import { expect, test } from 'vitest'
import { forbiddenWords, portabilityProblems } from './check-portable.ts'

const words = forbiddenWords('/srv/clone', {
  npm_config_registry: 'https://mirror.example:8443/npm/',
  GOPROXY: 'direct',
})

test.each(['see /srv/clone/tools', 'fetch("https://MIRROR.example/x")', `index = ${['pypi', 'org'].join('.')}`])(
  'finds %s',
  (line) => {
    expect(portabilityProblems('a.ts', `fine\n${line}\n`, words)).toEqual([expect.stringMatching(/^a\.ts:2: names /)])
  },
)

test('accepts loopback and documentation', () => {
  const local = forbiddenWords('/srv/clone', { npm_config_registry: 'http://127.0.0.1:4873/' })
  expect(portabilityProblems('a.ts', 'http://127.0.0.1:8080 and https://example.com', local)).toEqual([])
})
