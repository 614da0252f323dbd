import { describe, expect, it } from 'vitest'
import type { ListedInstance } from '@toolhaven/core/ports/runtime'
import { withoutSidecars } from './forwarded-instance.ts'

const listed = (name: string, labels: Record<string, string> = {}): ListedInstance => ({
  handle: { runtime: 'docker', id: name, name },
  labels,
  state: 'running',
})
const names = (list: readonly ListedInstance[], beingMade: string[] = []) =>
  withoutSidecars(list, (name) => beingMade.includes(name)).map(({ handle }) => handle.name)

describe('the list of instances', () => {
  const sidecar = listed('thvnet-thv-web', { 'toolhaven-sidecar-of': 'thv-web' })

  it('leaves out the sidecar of an instance that is there or being made', () => {
    expect(names([listed('thv-web'), sidecar])).toEqual(['thv-web'])
    expect(names([sidecar], ['thv-web'])).toEqual([])
  })

  it('holds one whose instance is gone, so that it is removed', () => {
    expect(names([sidecar])).toEqual(['thvnet-thv-web'])
  })

  it('is not deceived by an image that calls itself a sidecar', () => {
    const liar = listed('thv-liar', { 'toolhaven-sidecar-of': 'thv-web' })
    expect(names([listed('thv-web'), liar])).toEqual(['thv-web', 'thv-liar'])
  })
})
