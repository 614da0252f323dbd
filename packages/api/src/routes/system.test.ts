import { describe, expect } from 'vitest'
import { invalid } from '@toolhaven/core/errors'
import { scenario, send } from '@toolhaven/testing/scenario'

describe('health', () => {
  scenario('is 204 without a body while the runtime answers', {
    request: 'GET /health',
    answers: { status: 204, headers: { 'content-length': null, 'content-type': null } },
  })
  scenario('is 503 with the reason when it does not', {
    given: (fake) => fake.runtime.goDown(),
    request: 'GET /health',
    answers: { status: 503, text: 'the runtime docker does not answer: the engine does not answer' },
  })
})

describe('while the runtime is down', () => {
  scenario('the version is still told', {
    given: (fake) => fake.runtime.goDown(),
    request: 'GET /api/v1beta/version',
    answers: { status: 200, json: { version: '0.0.0-test' } },
  })
  scenario('the OpenAPI document is still given', {
    given: (fake) => fake.runtime.goDown(),
    request: 'GET /api/openapi.json',
    answers: { status: 200, matches: { openapi: '3.1.0', info: { version: '0.0.0-test' } } },
  })
  scenario('the runtime report says so', {
    given: (fake) => fake.runtime.goDown(),
    request: 'GET /api/v1beta/runtime',
    answers: { status: 200, matches: { name: 'docker', state: 'unhealthy', reason: 'the engine does not answer' } },
  })
})

scenario('the runtime report names runtime and version', {
  request: 'GET /api/v1beta/runtime',
  answers: { status: 200, matches: { name: 'docker', state: 'healthy', version: '1' } },
})

for (const host of ['localhost:8080', '127.0.0.1:18080', '[::1]:9']) {
  scenario(`the OpenAPI document that is fetched from ${host} names that address`, {
    request: 'GET /api/openapi.json',
    headers: { host },
    answers: { status: 200, matches: { servers: [{ url: `http://${host}` }] } },
  })
}

scenario('the OpenAPI document that is fetched over the socket names the usual address', {
  request: 'GET /api/openapi.json',
  overSocket: true,
  answers: { status: 200, matches: { servers: [{ url: 'http://localhost:8080' }] } },
})

describe('settings', () => {
  scenario('are empty at first', {
    request: 'GET /api/v1beta/config',
    answers: { status: 200, json: { otel: {}, base_images: {} } },
  })
  const FULL = {
    ca_certificate_path: '/data/ca.pem',
    otel: { endpoint: 'localhost:4318', 'sampling-rate': 0.5, 'env-vars': ['REGION'] },
    base_images: { npx: 'node:24', uvx: 'registry.example.com/python:3' },
  }
  scenario('are changed, and shown as they are in force', {
    request: 'PUT /api/v1beta/config',
    body: FULL,
    answers: { status: 200, json: FULL },
    afterwards: (fake) => expect(fake.journal.entries).toMatchObject([{ action: 'update-settings' }]),
  })
  scenario('left out stay, null clears', {
    given: (fake) => send(fake, 'PUT /api/v1beta/config', { body: FULL }),
    request: 'PUT /api/v1beta/config',
    body: { ca_certificate_path: null, otel: { endpoint: null }, base_images: { uvx: null } },
    answers: {
      status: 200,
      json: { otel: { 'sampling-rate': 0.5, 'env-vars': ['REGION'] }, base_images: { npx: 'node:24' } },
    },
  })
  for (const [body, text] of [
    [{ otel: { 'sampling-rate': 2 } }, /^otel\.sampling-rate: /],
    [{ otel: { endpoint: 'http://localhost:4318' } }, /without a scheme/],
    [{ otel: null }, /^otel: /],
    [{ ca: 'x' }, /unknown field ca/],
    [{ base_images: { npx: 'node:24\nRUN rm -rf /' } }, /^image "/],
    [{ base_images: { npx: '--privileged' } }, /^image "/],
    [[], /must be an object/],
  ] as const) {
    scenario(`refuse ${JSON.stringify(body)}`, {
      request: 'PUT /api/v1beta/config',
      body,
      answers: { status: 400, text },
      afterwards: async (fake) =>
        expect(JSON.parse((await send(fake, 'GET /api/v1beta/config')).text)).toEqual({ otel: {}, base_images: {} }),
    })
  }
  scenario('refuse a certificate that cannot be read', {
    given: (fake) => {
      fake.daemon.settings.readCertificate = async () => {
        throw invalid('the certificate file does not exist')
      }
    },
    request: 'PUT /api/v1beta/config',
    body: { ca_certificate_path: '/nowhere.pem' },
    answers: { status: 400, text: 'the certificate file does not exist' },
  })
})

describe('the doctor', () => {
  scenario('reports what it finds', {
    request: 'GET /api/v1beta/doctor',
    answers: { status: 200, matches: { grade: 'A', workloads: [] } },
  })
  scenario('knows the workloads', {
    request: 'GET /api/v1beta/doctor?workload=ghost',
    answers: { status: 404, text: /^workload ghost not found/ },
  })
})

describe('folders', () => {
  scenario('are those of the home folder unless another is named', {
    request: 'GET /api/v1beta/folders',
    answers: { status: 200, json: { path: '/home/me', folders: ['notes', 'website'] } },
  })
  scenario('that are not there', {
    request: 'GET /api/v1beta/folders?path=other',
    answers: { status: 404, text: /^there is no folder other/ },
  })
})
