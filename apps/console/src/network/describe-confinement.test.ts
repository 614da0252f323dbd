import type { Confinement } from '@toolhaven/contract/isolation'
import { expect, test } from 'vitest'
import { networkInForce, notEnforced } from './describe-confinement.ts'

const found: Confinement = {
  ...{ seen_by: 'kernel', user: '65534', capabilities: [], privileged: false, no_new_privileges: true },
  ...{ system_call_filter: true, own_files: true, read_only_root: true, network: 'none', mounts: [] },
  ...{ memory_bytes: 1, pids: 512, cpus: 1 },
}

test('of a closed server there is nothing to say', () => {
  expect(notEnforced(found, { notes: [] })).toEqual([])
  expect(networkInForce(found)).toMatch(/no way past the egress gate, as the kernel of this machine reports/)
})

test('what the runtime and the running server lack is said', () => {
  const open: Confinement = { ...found, network: 'host', capabilities: ['NET_ADMIN'], system_call_filter: false }
  expect(notEnforced(open, { notes: ['No memory limits here.'] })).toEqual([
    'No memory limits here.',
    'It uses the network of this machine: nothing that it reaches can be refused or recorded.',
    'It holds capabilities: NET_ADMIN.',
    'Its system calls are not filtered.',
  ])
})
