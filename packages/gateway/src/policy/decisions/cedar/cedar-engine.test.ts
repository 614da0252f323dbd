import { describe, expect, it } from 'vitest'
import { callerOf } from '../../../oidc/caller.ts'
import { createPolicyEngine, policyFaults, type Question } from './cedar-engine.ts'

const alice = callerOf({ iss: 'https://id', sub: 'alice', groups: ['staff'], level: 3, vip: true, odd: null }, Infinity)
const bob = callerOf({ iss: 'https://id', sub: 'bob', groups: [] }, Infinity)
const tool = (id: string, args?: Record<string, unknown>): Question => ({ action: 'call_tool', type: 'Tool', id, args })
const engineOf = (policies: string[], entities?: unknown) =>
  createPolicyEngine({ policies, ...(entities !== undefined && { entitiesJson: JSON.stringify(entities) }) })

describe('a decision', () => {
  it('is no, unless a policy permits', async () => {
    const engine = await engineOf(['permit(principal == User::"alice", action, resource == Tool::"echo");'])
    expect(engine.allows(alice, tool('echo'))).toBe(true)
    expect(engine.allows(alice, tool('add'))).toBe(false)
    expect(engine.allows(bob, tool('echo'))).toBe(false)
    expect(engine.allows(undefined, tool('echo'))).toBe(false)
  })

  it('is about the action and the kind as well as the name', async () => {
    const engine = await engineOf(['permit(principal, action == Action::"get_prompt", resource == Prompt::"x");'])
    expect(engine.allows(alice, { action: 'get_prompt', type: 'Prompt', id: 'x' })).toBe(true)
    expect(engine.allows(alice, { action: 'call_tool', type: 'Prompt', id: 'x' })).toBe(false)
    expect(engine.allows(alice, { action: 'get_prompt', type: 'Tool', id: 'x' })).toBe(false)
  })

  it('knows the claims of the caller', async () => {
    const engine = await engineOf([
      'permit(principal, action, resource) when { principal.claim_groups.contains("staff") && principal.claim_level > 2 && principal.claim_vip };',
    ])
    expect(engine.allows(alice, tool('echo'))).toBe(true)
    expect(engine.allows(bob, tool('echo'))).toBe(false)
  })

  it('calls a caller nobody asked anonymous', async () => {
    const engine = await engineOf(['permit(principal == Anonymous::"anonymous", action, resource);'])
    expect(engine.allows(undefined, tool('echo'))).toBe(true)
    expect(engine.allows(alice, tool('echo'))).toBe(false)
  })

  it('knows the configured entities, their parents and attributes', async () => {
    const engine = await engineOf(
      [
        'permit(principal in Group::"admins", action, resource);',
        'permit(principal, action, resource) when { resource has harmless && resource.harmless && resource.name == "add" };',
      ],
      [
        { uid: { type: 'User', id: 'alice' }, attrs: {}, parents: [{ type: 'Group', id: 'admins' }] },
        { uid: { type: 'Tool', id: 'add' }, attrs: { harmless: true, name: 'lie' }, parents: [] },
      ],
    )
    expect(engine.allows(alice, tool('echo'))).toBe(true)
    expect(engine.allows(bob, tool('echo'))).toBe(false)
    expect(engine.allows(bob, tool('add'))).toBe(true)
  })
})

describe('arguments', () => {
  const limits = ['permit(principal, action, resource) when { context.arg_n < 10 };']

  it('are judged', async () => {
    const engine = await engineOf(limits)
    expect(engine.allows(alice, tool('t', { n: 9 }))).toBe(true)
    expect(engine.allows(alice, tool('t', { n: 10 }))).toBe(false)
    expect(engine.allows(alice, tool('t', {}))).toBe(false)
    expect(engine.allows(alice, tool('t', { n: '9' }))).toBe(false)
  })

  it('of a kind that a policy cannot judge are denied by a policy that forbids', async () => {
    const engine = await engineOf([
      'permit(principal, action, resource);',
      'forbid(principal, action, resource) when { context has arg_path && context.arg_path like "/etc*" };',
    ])
    expect(engine.allows(alice, tool('t', { path: '/home' }))).toBe(true)
    expect(engine.allows(alice, tool('t', {}))).toBe(true)
    expect(engine.allows(alice, tool('t', { path: '/etc/passwd' }))).toBe(false)
    for (const path of [['/etc/passwd'], 1.234567, { __entity: { type: 'A', id: 'b' } }, '\ud800', 2 ** 60])
      expect(engine.allows(alice, tool('t', { path }))).toBe(false)
  })

  it('under a key that some servers take for the one that was judged are denied', async () => {
    const engine = await engineOf(limits)
    expect(engine.allows(alice, tool('t', { n: 1, N: 100 }))).toBe(false)
    expect(engine.allows(alice, tool('t', { n: 1, m: 100 }))).toBe(true)
    const deep = await engineOf(['permit(principal, action, resource) when { context.arg_how.mode == "safe" };'])
    expect(deep.allows(alice, tool('t', { how: { mode: 'safe' } }))).toBe(true)
    expect(deep.allows(alice, tool('t', { how: { mode: 'safe', Mode: 'fast' } }))).toBe(false)
    const whole = await engineOf([
      'permit(principal, action, resource) when { context has arg_n };',
      'forbid(principal, action, resource) when { context == {"arg_n": 7} };',
    ])
    expect(whole.allows(alice, tool('t', { n: 1 }))).toBe(true)
    expect(whole.allows(alice, tool('t', { n: 1, N: 100 }))).toBe(false)
  })

  it('cannot pretend to be an entity', async () => {
    const engine = await engineOf(['permit(principal, action, resource) when { context.arg_owner == principal };'])
    expect(engine.allows(alice, tool('t', { owner: { __entity: { type: 'User', id: 'alice' } } }))).toBe(false)
  })

  it('are decimals, sets and records where they must be', async () => {
    const engine = await engineOf([
      'permit(principal, action, resource) when { context.arg_x.lessThan(decimal("2.0")) };',
      'permit(principal, action, resource) when { context.arg_list.contains("a") };',
      'permit(principal, action, resource) when { context.arg_deep.inner == true };',
    ])
    expect(engine.allows(alice, tool('t', { x: 1.5 }))).toBe(true)
    expect(engine.allows(alice, tool('t', { x: 2.5 }))).toBe(false)
    expect(engine.allows(alice, tool('t', { list: ['a'] }))).toBe(true)
    expect(engine.allows(alice, tool('t', { deep: { inner: true } }))).toBe(true)
  })

  it('count all when a policy looks at the whole context', async () => {
    const engine = await engineOf(['permit(principal, action, resource) when { context == {"arg_a": 1} };'])
    expect(engine.allows(alice, tool('t', { a: 1 }))).toBe(true)
    expect(engine.allows(alice, tool('t', { a: 1, b: 2 }))).toBe(false)
  })
})

describe('what may be allowed with some arguments', () => {
  it('is what a list shows', async () => {
    const engine = await engineOf([
      'permit(principal == User::"alice", action, resource == Tool::"add") when { context has arg_n && context.arg_n < 10 };',
      'permit(principal, action, resource == Tool::"echo");',
      'forbid(principal, action, resource) when { context.arg_path like "/etc*" };',
    ])
    expect(engine.mayAllow(alice, tool('add'))).toBe(true)
    expect(engine.mayAllow(bob, tool('add'))).toBe(false)
    expect(engine.mayAllow(bob, tool('echo'))).toBe(true)
    expect(engine.mayAllow(bob, tool('env'))).toBe(false)
  })
})

it('decides the same when asked again', async () => {
  const engine = await engineOf(['permit(principal == User::"alice", action, resource);'])
  for (let round = 0; round < 3; round += 1) {
    expect(engine.allows(alice, tool('echo', { round }))).toBe(true)
    expect(engine.allows(bob, tool('echo', { round }))).toBe(false)
  }
})

it('names every fault of policies and entities at once', async () => {
  const faults = await policyFaults({
    policies: [
      'permit(principal, action, resource);',
      'permit(principal action);',
      '',
      'permit(principal == ?principal, action, resource);',
    ],
    entitiesJson: '[{"uid":{"type":"A"}},{"uid":{"type":"A","id":"b"}},{"uid":{"type":"A","id":"b"}}]',
  })
  expect(faults).toEqual([
    expect.stringMatching(/^policies\[1\]: unexpected token `action` at character 18/),
    'policies[2]: it contains no policy',
    expect.stringMatching(/^policies\[3\]: templates/),
    'entities_json[0]: must have a uid with type and id',
    'entities_json: A::"b" appears twice',
  ])
  expect(await policyFaults({ policies: ['permit(principal, action, resource);'], entitiesJson: '{' })).toEqual([
    'entities_json: is not JSON',
  ])
  const floating = JSON.stringify([{ uid: { type: 'A', id: 'b' }, attrs: { x: 1.5 }, parents: [] }])
  expect(await policyFaults({ policies: ['permit(principal, action, resource);'], entitiesJson: floating })).toEqual([
    expect.stringContaining('entities_json: '),
  ])
})

describe('who is who', () => {
  it('a client is not the user of the same name, and nobody is called anonymous', async () => {
    const engine = await engineOf([
      'permit(principal == User::"root", action, resource == Tool::"a");',
      'permit(principal == OAuthClient::"root", action, resource == Tool::"b");',
      'permit(principal is Anonymous, action, resource == Tool::"c");',
    ])
    const asked = (claims: Record<string, unknown> | undefined) =>
      ['a', 'b', 'c'].filter((id) => engine.allows(claims && callerOf(claims, Infinity), tool(id)))
    expect(asked({ sub: 'root' })).toEqual(['a'])
    expect(asked({ sub: 'root', client_id: 'app' })).toEqual(['a'])
    expect(asked({ client_id: 'root' })).toEqual(['b'])
    expect(asked({ sub: 'root', client_id: 'root' })).toEqual(['b'])
    expect(asked({ sub: 'root', azp: 'root' })).toEqual(['b'])
    expect(asked({ sub: 'anonymous' })).toEqual([])
    expect(asked(undefined)).toEqual(['c'])
  })

  it.each([
    'forbid(principal == Client::"u1", action, resource);',
    'forbid(principal in Client::"u1", action, resource);',
    'forbid(principal, action, resource) when { principal == Client::"u1" };',
    'forbid(principal, action, resource) unless { [Client::"u1", User::"u2"].contains(principal) };',
  ])('a policy with the former type is refused with what to write: %s', async (policy) => {
    const [fault = ''] = await policyFaults({ policies: ['permit(principal, action, resource);', policy] })
    expect(fault).toMatch(/^policies\[1\]: Client::"u1" is no longer used/)
    expect(fault).toContain('User::"u1"')
    expect(fault).toContain('OAuthClient::"u1"')
    await expect(createPolicyEngine({ policies: [policy] })).rejects.toThrow('OAuthClient::"u1"')
  })

  it('so are questions about that type, and entities of it', async () => {
    for (const policy of [
      'forbid(principal is Client, action, resource);',
      'forbid(principal is Client in Group::"g", action, resource);',
      'forbid(principal, action, resource) when { principal is Client };',
    ])
      expect(await policyFaults({ policies: [policy] })).toEqual([expect.stringContaining('"is OAuthClient"')])
    const policies = ['permit(principal, action, resource);']
    for (const entity of [
      { uid: { type: 'Client', id: 'u1' } },
      { uid: { __entity: { type: 'Client', id: 'u1' } } },
      { uid: { type: 'Tool', id: 't' }, parents: [{ type: 'Client', id: 'u1' }] },
      { uid: { type: 'Tool', id: 't' }, attrs: { owner: { __entity: { type: 'Client', id: 'u1' } } } },
    ])
      expect(await policyFaults({ policies, entitiesJson: JSON.stringify([entity]) })).toEqual([
        expect.stringMatching(/^entities_json: Client::"u1" is no longer used.*OAuthClient::"u1"/),
      ])
    expect(await policyFaults({ policies: ['permit(principal == Client::"anonymous", action, resource);'] })).toEqual([
      expect.stringContaining('Anonymous::"anonymous"'),
    ])
  })
})
