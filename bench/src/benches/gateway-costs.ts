import { fileURLToPath } from 'node:url'
import { startOtlpReceiver } from '@toolhaven/testing/telemetry/otlp-receiver'
import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { type Bench, type Figure, lessIsBetter } from '../figure.ts'
import { type Contestant, startOurs, startRawBridge } from '../gateway/contestants.ts'
import { type EchoServers, HTTP_ECHO, makeEchoServers } from '../gateway/echo-server.ts'
import { measureAll } from '../gateway/measure.ts'
import { initialize, openStreamable } from '../gateway/sessions.ts'
import { httpProxyFolder } from '../rig/peers.ts'
import { settledResidentMb } from '../rig/proc.ts'
import { freePort, startServer } from '../rig/server-process.ts'
import { of } from '../rig/statistics.ts'

/** With five rounds, the median of the same program was once 2.3 and once 3.0 times the other's. */
const ROUNDS = { count: 9, forMs: 1000 }
/** A provider issues tokens for addresses. */
const AUDIENCE = 'https://bench.example/mcp'
const SHAPE = { bytes: 100, sessions: 10, inFlight: 10 }
const HTTP_PASS = fileURLToPath(new URL('../gateway/http-pass.mjs', import.meta.url))

/** What parts of the gateway cost, each against its own measure. */
export const gatewayCosts: Bench = {
  name: 'gateway-costs',
  title: 'processor time for 1,000 calls (100 B, 10 × 10) and resident memory of the gateway, by what it does',
  run: async (rig) => {
    await using stack = new AsyncDisposableStack()
    const servers = stack.use(await makeEchoServers(rig.folder))
    return [
      ...(await passThrough(servers)),
      ...(await allMiddleware(servers)),
      ...(await memory(servers)),
      ...(await growth(servers, rig.say)),
    ]
  },
}

/** Each with the same server of its own behind it. */
async function passThrough(servers: EchoServers): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const { daemon, run } = await startOurs(stack, servers)
  const ours = await run({ name: 'http', image: servers.httpImage, transport: 'streamable-http', target_port: 9000 })
  const env = { PATH: process.env['PATH'] ?? '' }
  const behind = await freePort()
  const echo = { command: process.execPath, args: [HTTP_ECHO, String(behind), '127.0.0.1'], env, port: behind }
  stack.use(await startServer({ ...echo, path: '/', anyStatus: true }))
  const port = await freePort()
  const args = [HTTP_PASS, await httpProxyFolder(), String(port), `http://127.0.0.1:${behind}`]
  const proxy = stack.use(await startServer({ command: process.execPath, args, env, port, path: '/', anyStatus: true }))
  const measured = await measureAll(
    [
      { name: 'ours', pid: daemon.pid, url: `${ours}/mcp` },
      { name: 'http-proxy-3', pid: proxy.pid, url: `${proxy.baseUrl}/mcp` },
    ],
    SHAPE,
    openStreamable,
    ROUNDS,
  )
  return [
    lessIsBetter({
      name: 'pass-through of an HTTP server, against http-proxy-3',
      unit: 'ms',
      ours: of(measured, 'ours').cpu,
      baseline: of(measured, 'http-proxy-3').cpu,
      target: { of: 'ratio', below: 0.6 },
    }),
  ]
}

/** Two workloads of one daemon. */
async function allMiddleware(servers: EchoServers): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await startIdentityProvider())
  const collector = stack.use(await startOtlpReceiver())
  const { daemon, run } = await startOurs(stack, servers)
  const off = await run({ name: 'off', image: servers.stdioImage })
  const on = await run({
    name: 'on',
    image: servers.stdioImage,
    tools: ['echo'],
    audit_config: { log_file: 'bench.log' },
    telemetry_config: {
      endpoint: collector.address,
      insecure: true,
      samplingRate: 1,
      enablePrometheusMetricsPath: true,
    },
    oidc: { issuer: provider.issuer, audience: AUDIENCE, allow_private_ip: true },
    authz_config: JSON.stringify({
      type: 'cedarv1',
      version: '1.0',
      cedar: { policies: ['permit(principal, action == Action::"call_tool", resource == Tool::"echo");'] },
    }),
  })
  const authorization = `Bearer ${await provider.token({ audience: AUDIENCE })}`
  const contestants: Contestant[] = [
    { name: 'on', pid: daemon.pid, url: `${on}/mcp`, headers: { authorization } },
    { name: 'off', pid: daemon.pid, url: `${off}/mcp` },
  ]
  const measured = await measureAll(contestants, SHAPE, openStreamable, ROUNDS)
  return [
    lessIsBetter({
      name: 'audit, OIDC, Cedar, telemetry and filter, against none',
      unit: 'ms',
      ours: of(measured, 'on').cpu,
      baseline: of(measured, 'off').cpu,
      target: { of: 'ratio', below: 2.5 },
    }),
  ]
}

const IDLE_SESSIONS = 900

async function memory(servers: EchoServers): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const { daemon, run } = await startOurs(stack, servers)
  const url = `${await run({ name: 'echo', image: servers.stdioImage })}/mcp`
  const raw = stack.use(await startRawBridge(servers))
  await initialize(url)
  await initialize(`${raw.baseUrl}/mcp`)
  const one = await settledResidentMb(daemon.pid)
  const bridge = await settledResidentMb(raw.pid)
  for (let session = 0; session < IDLE_SESSIONS; session++) await initialize(url)
  const many = await settledResidentMb(daemon.pid)
  return [
    lessIsBetter({
      name: 'memory after one session, against the raw node:http bridge',
      unit: 'MB',
      ours: one,
      baseline: bridge,
      target: { of: 'ratio', below: 1.5 },
    }),
    lessIsBetter({
      name: 'memory of a further idle session',
      unit: 'KB',
      ours: ((many - one) * 1024) / IDLE_SESSIONS,
      baseline: one * 1024,
      target: { of: 'ours', below: 60 },
    }),
  ]
}

const MANY_WORKLOADS = 100

/** The same ten clients, once alone and once among a thousand sessions of a hundred workloads. */
async function growth(servers: EchoServers, say: (line: string) => void): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const small = await startOurs(stack, servers)
  const large = await startOurs(stack, servers)
  const alone = await small.run({ name: 'echo', image: servers.stdioImage })
  say(`starting ${MANY_WORKLOADS} servers …`)
  const urls: string[] = []
  for (let at = 0; at < MANY_WORKLOADS; at++)
    urls.push(await large.run({ name: `echo-${at}`, image: servers.stdioImage }))
  for (const url of urls) for (let session = 0; session < 10; session++) await initialize(`${url}/mcp`)
  const measured = await measureAll(
    [
      { name: 'many', pid: large.daemon.pid, url: `${urls[0]}/mcp` },
      { name: 'one', pid: small.daemon.pid, url: `${alone}/mcp` },
    ],
    SHAPE,
    openStreamable,
    ROUNDS,
  )
  return [
    lessIsBetter({
      name: 'a call among 100 workloads and 1,000 sessions, against 1 and 10',
      unit: 'ms',
      ours: of(measured, 'many').cpu,
      baseline: of(measured, 'one').cpu,
      target: { of: 'ratio', below: 1.2 },
    }),
  ]
}
