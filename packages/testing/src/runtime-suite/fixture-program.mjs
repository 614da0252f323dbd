#!/usr/bin/env node
// The program every runtime runs in its conformance suite. The first argument picks what it does; the rest are its own.
// Plain JavaScript and no dependency: it runs wherever a bare Node does.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  linkSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmdirSync,
  statSync,
  statfsSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { ADDRCONFIG } from 'node:dns'
import { lookup, resolve4 } from 'node:dns/promises'
import { createServer } from 'node:http'
import { connect, createServer as createNetServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const say = (text) => process.stdout.write(`${text}\n`)
const stayAlive = () => setInterval(() => {}, 60_000)

const canWrite = (folder) => {
  try {
    writeFileSync(`${folder}/.probe`, '')
    return true
  } catch {
    return false
  }
}

const behaviours = {
  echo() {
    process.stdin.pipe(process.stdout)
  },
  exit(code) {
    process.exitCode = Number(code)
  },
  args(...rest) {
    say(JSON.stringify(rest))
  },
  facts() {
    say(JSON.stringify({ ...processFacts(), env: process.env, cwd: process.cwd() }))
  },
  /** Tries to leave programs in the folder that run as another user or group than the one who runs them. */
  leaveSetId(folder) {
    const tries = {
      chmod: (path, mode) => chmodSync(path, mode),
      fchmod: (path, mode) => fchmodSync(openSync(path, 'r'), mode),
      open: (path, mode) => closeSync(openSync(`${path}-new`, 'w', mode)),
    }
    for (const [how, leave] of Object.entries(tries))
      for (const mode of [0o755, 0o4755, 0o2755, 0o6711]) {
        const path = `${folder}/${how}-${mode.toString(8)}`
        writeFileSync(path, '')
        try {
          leave(path, mode)
        } catch (error) {
          say(`${how} ${mode.toString(8)} ${error.code}`)
        }
      }
    say('tried')
  },
  /** The most files it may open, and the size in MiB of each folder in memory that it can write to. */
  limits() {
    const [, files] = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
    const paths = mounts.map((line) => line.split(' ')).filter(([, , type]) => type === 'tmpfs' || type === 'ramfs')
    const writable = paths.map(([, path]) => path).filter(canWrite)
    const sizes = writable.map((path) => [path, (statfsSync(path).blocks * statfsSync(path).bsize) / 2 ** 20])
    say(JSON.stringify({ files: Number(files), memory: Object.fromEntries(sizes) }))
  },
  lines(count) {
    for (let i = 1; i <= Number(count); i += 1) say(`line ${i}`)
  },
  both() {
    say('to stdout')
    process.stderr.write('to stderr\n')
  },
  ticks() {
    let i = 0
    setInterval(() => say(`tick ${(i += 1)}`), 50)
  },
  polite() {
    process.on('SIGTERM', () => {
      say('asked to end')
      process.exit(0)
    })
    stayAlive()
    say('ready')
  },
  stubborn() {
    process.on('SIGTERM', () => say('not yet'))
    stayAlive()
    say('ready')
  },
  // A parent and a child that both ignore SIGTERM; the child appends to a file while it lives.
  family(file) {
    spawn(process.execPath, [fileURLToPath(import.meta.url), 'heartbeat', file], { stdio: 'ignore' })
    behaviours.stubborn()
  },
  heartbeat(file) {
    process.on('SIGTERM', () => {})
    let i = 0
    setInterval(() => writeFileSync(file, String((i += 1))), 20)
  },
  /** The same with what the owner of the folder may do. */
  force(path) {
    try {
      chmodSync(dirname(path), 0o700)
    } catch {
      // Somebody else's.
    }
    behaviours.write(path)
  },
  write(path) {
    try {
      writeFileSync(path, 'written by the fixture')
      say('written')
    } catch (error) {
      say(error.code)
    }
  },
  read(path) {
    try {
      say(readFileSync(path, 'utf8'))
    } catch (error) {
      say(error.code)
    }
  },
  // What is seen of each path, and every way to change or move it that goes through.
  pry(...paths) {
    const look = (path) => (statSync(path).isDirectory() ? readdirSync(path) : readFileSync(path, 'utf8'))
    const ways = {
      write: (path) => writeFileSync(path, 'spoilt'),
      fill: (path) => writeFileSync(`${path}/new`, 'spoilt'),
      chmod: (path) => chmodSync(path, 0o777),
      move: (path) => renameSync(path, `${path}-moved`),
      link: (path) => linkSync(path, `${path}-linked`),
      unlink: unlinkSync,
      rmdir: rmdirSync,
    }
    const attempt = (act) => {
      try {
        return [act()]
      } catch {
        return []
      }
    }
    const pried = (path) => Object.keys(ways).filter((way) => attempt(() => ways[way](path)).length > 0)
    say(JSON.stringify(paths.map((path) => ({ seen: attempt(() => look(path))[0], pried: pried(path) }))))
  },
  async connect(port, ...hosts) {
    const outcomes = await Promise.all(hosts.map((host) => tryConnect(host, Number(port))))
    say(JSON.stringify(Object.fromEntries(hosts.map((host, i) => [host, outcomes[i]]))))
  },
  exec(program, ...args) {
    spawn(program, args, { stdio: 'inherit' })
  },
  // What an isolated instance finds: the proxy, a name it may reach and one it may not, addresses, whether it can take a port of the
  // forwarder, and whether it sees its process.
  async ways(named, other) {
    say(
      JSON.stringify({
        proxy: await hear('127.0.0.1', 3128),
        named: await hear(named, 443),
        // As programs ask that want IPv4 only, and only where the machine has it.
        namedByFour: await lookup(named, { family: 4, hints: ADDRCONFIG }).catch((error) => error.code),
        resolved: await resolve4(named).catch((error) => error.code),
        other: await lookup(other).catch((error) => error.code),
        address: await hear('203.0.113.7', 8443),
        address6: await hear('2001:db8::7', 8443),
        otherPort: await hear('203.0.113.7', 8444),
        variable: process.env.HTTPS_PROXY,
        taken: await Promise.all([tryListen(3128, '127.0.0.1'), tryListen(8443, '203.0.113.7'), tryListen(8443, '::')]),
        forwarders: processesWith('3128='),
        interfaces: Object.keys(networkInterfaces()),
      }),
    )
  },
  async listen(...ports) {
    say(JSON.stringify(await Promise.all(ports.map((port) => tryListen(Number(port), '0.0.0.0')))))
    process.exit(0)
  },
  http(port) {
    createServer((request, response) => response.end(`hello from ${request.url}`)).listen(Number(port), '0.0.0.0')
  },
  hog(bytes) {
    const held = []
    const piece = 8 << 20
    for (let total = 0; total < Number(bytes); total += piece) held.push(Buffer.alloc(piece, 1))
    say(`survived with ${held.length} pieces`)
  },
  /** Takes memory and some time of a processor, and keeps the memory. */
  keep(bytes) {
    const held = Buffer.alloc(Number(bytes), 1)
    while (process.cpuUsage().user < 300_000);
    setInterval(() => held.length, 60_000)
    say('ready')
  },
  async crowd(count) {
    const born = await Promise.all(Array.from({ length: Number(count) }, tryChild))
    say(JSON.stringify({ alive: born.filter(Boolean).length }))
    process.exit(0)
  },
  burn(milliseconds) {
    const began = process.hrtime.bigint()
    const wallMs = () => Number(process.hrtime.bigint() - began) / 1e6
    const before = process.cpuUsage()
    while (wallMs() < Number(milliseconds));
    const used = process.cpuUsage(before)
    say(JSON.stringify({ share: (used.user + used.system) / 1000 / wallMs() }))
  },
}

function statusOf(id) {
  const lines = readFileSync(`/proc/${id}/status`, 'utf8').split('\n')
  return Object.fromEntries(lines.map((line) => line.split(':\t')))
}

function processFacts() {
  const status = statusOf('self')
  return {
    uid: process.getuid(),
    pid: process.pid,
    capEff: status.CapEff,
    capBnd: status.CapBnd,
    noNewPrivs: status.NoNewPrivs,
    seccomp: status.Seccomp,
    filters: status.Seccomp_filters,
    firstFilters: statusOf(1).Seccomp_filters,
    routes: readFileSync('/proc/net/route', 'utf8').trim().split('\n').length - 1,
    interfaces: Object.keys(networkInterfaces()),
    visiblePids: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
  }
}

function processesWith(word) {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return numbers.filter((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(word))
}

function tryListen(port, host) {
  return new Promise((resolve) => {
    const server = createNetServer().listen(port, host, () => server.close(() => resolve('listened')))
    server.on('error', (error) => resolve(error.code))
  })
}

function tryConnect(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3000 })
    const end = (outcome) => {
      socket.destroy()
      resolve(outcome)
    }
    socket.on('connect', () => end('connected'))
    socket.on('timeout', () => end('ETIMEDOUT'))
    socket.on('error', (error) => end(error.code))
  })
}

/** Sent to every client that connects. */
function hear(host, port) {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect({ host, port, timeout: 3000 }, () => socket.end())
    socket.on('data', (chunk) => (heard += chunk))
    socket.on('timeout', () => resolve('ETIMEDOUT'))
    socket.on('error', (error) => resolve(error.code))
    socket.on('end', () => resolve(heard))
  })
}

function tryChild() {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); setInterval(() => {}, 1e6)'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.on('error', () => resolve(false))
    child.on('exit', () => resolve(false))
    child.stdout?.on('data', () => resolve(true))
    // One that gets too few threads may neither start nor end.
    setTimeout(() => resolve(false), 5000)
    process.on('exit', () => child.kill('SIGKILL'))
  })
}

const [mode, ...rest] = process.argv.slice(2)
const behaviour = behaviours[mode]
if (behaviour === undefined) throw new Error(`no such behaviour: ${mode}`)
await behaviour(...rest)
