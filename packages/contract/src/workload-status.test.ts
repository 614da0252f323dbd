import { describe, expect, test } from 'vitest'
import { WORKLOAD_STATUSES, WORKLOAD_STATUS_NAMES, mayFollow, workloadStatus } from './workload-status.ts'

describe('the table of statuses', () => {
  test('has the names of the specification', () => {
    expect([...WORKLOAD_STATUS_NAMES]).toEqual([
      'running',
      'stopped',
      'error',
      'starting',
      'stopping',
      'unhealthy',
      'removing',
      'unknown',
    ])
    expect(Object.keys(WORKLOAD_STATUSES).toSorted()).toEqual([...WORKLOAD_STATUS_NAMES].toSorted())
    expect(workloadStatus.options).toEqual(WORKLOAD_STATUS_NAMES)
  })
  test('leads to its own names only, never twice, and says what each means', () => {
    for (const [name, { next, meaning }] of Object.entries(WORKLOAD_STATUSES)) {
      for (const status of next) expect(workloadStatus.safeParse(status).success, `${name} → ${status}`).toBe(true)
      expect(new Set(next).size).toBe(next.length)
      expect(next).not.toContain(name)
      expect(meaning.length).toBeGreaterThan(10)
    }
  })
  test('lets a workload be removed from everywhere and get away from everywhere', () => {
    for (const status of WORKLOAD_STATUS_NAMES) {
      expect(mayFollow(status, 'removing'), status).toBe(true)
      expect(WORKLOAD_STATUSES[status].next.length).toBeGreaterThan(0)
    }
  })
  test('lets a status follow itself and refuses what cannot be', () => {
    for (const status of WORKLOAD_STATUS_NAMES) expect(mayFollow(status, status)).toBe(true)
    expect(mayFollow('stopped', 'running')).toBe(false)
    expect(mayFollow('removing', 'running')).toBe(false)
    expect(mayFollow('stopped', 'unhealthy')).toBe(false)
  })
})
