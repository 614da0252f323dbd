import { describe, expect, test } from 'vitest'
import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import { containerBody } from './container-body.ts'
import { HOST_NETWORK, NO_NETWORK } from './container-network.ts'
import type { ContainerNetwork } from './network-of-container.ts'

const SPEC: InstanceSpec = {
  name: 'thv-x',
  labels: { toolhaven: 'true' },
  prepared: { id: 'sha256:abc' },
  source: { kind: 'image', reference: 'x' },
  args: ['a b', '$(id)'],
  env: { A: '1=2' },
  mounts: [{ hostPath: '/data', containerPath: '/d', readOnly: true }],
  network: 'none',
  stdio: true,
  limits: {},
}
const PLAIN = { init: true, readOnlyRoot: false }
const host = (change: Partial<InstanceSpec> = {}, hardening = PLAIN) =>
  containerBody({ ...SPEC, ...change }, hardening, NO_NETWORK)['HostConfig']

describe('the body of a create call', () => {
  test('hardens every container', () => {
    expect(host()).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      PidsLimit: 512,
      Memory: 1 << 30,
      MemorySwap: 1 << 30,
      RestartPolicy: { Name: 'no' },
      Init: true,
      NetworkMode: 'none',
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m', 'max-file': '2' } },
    })
  })

  test('turns the health check of an image off', () => {
    expect(containerBody(SPEC, PLAIN, NO_NETWORK)).toMatchObject({ Healthcheck: { Test: ['NONE'] } })
  })

  test('starts what was prepared, not what the name means by then', () => {
    expect(containerBody(SPEC, PLAIN, NO_NETWORK)).toMatchObject({
      Image: 'sha256:abc',
      Cmd: ['a b', '$(id)'],
      Env: ['A=1=2'],
      OpenStdin: true,
      StdinOnce: false,
      Tty: false,
    })
  })

  test.each([
    { args: ['x\0y'] },
    { env: { A: 'x\0y' } },
    { env: { 'A\0B': 'x' } },
    { labels: { a: 'x\0y' } },
    { mounts: [{ hostPath: '/data', containerPath: '/d\0', readOnly: true }] },
  ])('is not made with a NUL: %j', (change) => {
    expect(() => containerBody({ ...SPEC, ...change }, PLAIN, NO_NETWORK)).toThrow('contains a NUL character')
  })

  test('takes the limits given', () => {
    expect(host({ limits: { memoryBytes: 64, cpus: 0.5, pids: 7 } })).toMatchObject({
      Memory: 64,
      MemorySwap: 64,
      NanoCpus: 5e8,
      PidsLimit: 7,
    })
  })

  test('mounts as private binds', () => {
    expect(host()).toMatchObject({
      Mounts: [
        { Type: 'bind', Source: '/data', Target: '/d', ReadOnly: true, BindOptions: { Propagation: 'rprivate' } },
      ],
    })
  })

  test('gives a read-only root writable folders of limited size, unless something is mounted there', () => {
    const hardening = { init: true, readOnlyRoot: true }
    const limited = expect.stringMatching(/nosuid.*size=\d+$/)
    expect(host({}, hardening)).toMatchObject({
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': limited, '/run': limited, '/var/tmp': limited },
    })
    const mounts = [{ hostPath: '/data', containerPath: '/tmp', readOnly: false }]
    expect(host({ mounts }, hardening)).toHaveProperty('Tmpfs', { '/run': limited, '/var/tmp': limited })
  })

  test('limits the open files of every container', () => {
    expect(host()).toMatchObject({ Ulimits: [{ Name: 'nofile', Soft: 1024, Hard: 4096 }] })
  })

  test('notes the port of a server on the network of the machine', () => {
    const body = containerBody({ ...SPEC, network: 'host', targetPort: 8000 }, PLAIN, HOST_NETWORK)
    expect(body).toMatchObject({
      Labels: { 'toolhaven-host-port': '8000' },
      HostConfig: { NetworkMode: 'host' },
    })
  })

  test('publishes nothing of a container that a forwarder leads to, and runs what comes before its own program', () => {
    const network: ContainerNetwork = {
      mode: 'container:abc',
      env: { HTTPS_PROXY: 'http://127.0.0.1:3128' },
      mounts: [{ hostPath: '/hosts', containerPath: '/etc/hosts', readOnly: true }],
      command: { entrypoint: ['/guard', '--'], args: ['server', 'a b'] },
      filteredBy: '1:2',
    }
    const env = { A: '1', HTTPS_PROXY: 'http://elsewhere.example' }
    const body = containerBody({ ...SPEC, env, targetPort: 8000 }, PLAIN, network)
    expect(body).toMatchObject({
      Entrypoint: ['/guard', '--'],
      Cmd: ['server', 'a b'],
      Env: ['A=1', 'HTTPS_PROXY=http://127.0.0.1:3128'],
      Labels: { toolhaven: 'true', 'toolhaven-filtered-by': '1:2' },
      HostConfig: {
        Init: false,
        NetworkMode: 'container:abc',
        Mounts: [{ Target: '/d' }, { Target: '/etc/hosts', ReadOnly: true }],
      },
    })
    expect(body).not.toHaveProperty('ExposedPorts')
    expect(body['HostConfig']).not.toHaveProperty('PortBindings')
  })
})
