import { expect, test } from 'vitest'
import { createPullProgress } from './pull-progress.ts'

test('layers are added up, a finished one counts whole, and nothing shrinks', () => {
  const next = createPullProgress('ghcr.io/o/i:1')
  expect(next({ status: 'Pulling from o/i' })).toBeUndefined()
  expect(next({ id: 'a', status: 'Downloading', progressDetail: { current: 10, total: 100 } })).toEqual({
    phase: 'pulling',
    done: 10,
    total: 100,
    detail: 'ghcr.io/o/i:1',
  })
  expect(next({ id: 'b', status: 'Downloading', progressDetail: { current: 50, total: 400 } })).toMatchObject({
    done: 60,
    total: 500,
  })
  expect(next({ id: 'a', status: 'Download complete' })).toMatchObject({ done: 150, total: 500 })
  // A retried layer starts over.
  expect(next({ id: 'b', status: 'Downloading', progressDetail: { current: 1, total: 400 } })).toMatchObject({
    done: 150,
    total: 500,
  })
  expect(next({ id: 'a', status: 'Extracting', progressDetail: { current: 5, total: 100 } })).toBeUndefined()
})

test('an image that was here already reports no bytes', () => {
  const next = createPullProgress('x')
  expect(next({ id: 'a', status: 'Already exists' })).toBeUndefined()
  expect(next({ id: 'a', status: 'Pull complete' })).toBeUndefined()
})
