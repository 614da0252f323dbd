// Runs on Node 20 too. Debian packages that parts of Toolhaven or its tests need, and how they get here.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** What `npm start` would like to have. */
export const SANDBOX = [{ name: 'bubblewrap', binary: 'bwrap', gives: 'the sandbox of the process runtime' }]

/** What the whole test suite needs. Every package that a test needs from the system is listed here and nowhere else. */
export const TESTBED = [
  ...SANDBOX,
  { name: 'docker.io', binary: 'dockerd', gives: 'tests on a Docker engine' },
  { name: 'iptables', binary: 'iptables', gives: 'networks of the Docker engine' },
  { name: 'iproute2', binary: 'ip', gives: 'a network of its own for each Docker engine' },
  { name: 'gcc', binary: 'cc', gives: 'the forwarder of isolated workloads' },
  { name: 'libc6-dev', binary: '/usr/include/stdio.h', gives: 'the forwarder of isolated workloads' },
  { name: 'socat', binary: 'socat', gives: 'isolated workloads on machines without a compiler' },
  { name: 'podman', binary: 'podman', gives: 'tests on Podman, rootless included' },
  { name: 'crun', binary: 'crun', gives: 'rootless containers of Podman' },
  { name: 'runc', binary: 'runc', gives: 'containers of Docker and of rootful Podman' },
  { name: 'uidmap', binary: 'newuidmap', gives: 'user namespaces of rootless Podman' },
  { name: 'slirp4netns', binary: 'slirp4netns', gives: 'networks of rootless Podman' },
  { name: 'fuse-overlayfs', binary: 'fuse-overlayfs', gives: 'storage of rootless Podman' },
  { name: 'docker-registry', binary: 'docker-registry', gives: 'pull tests against a real registry on loopback' },
  {
    name: 'systemd',
    binary: 'systemd-analyze',
    gives: 'tests of the service; nothing of it is started on the machine',
  },
  { name: 'dbus-bin', binary: 'dbus-send', gives: 'a session bus for the keyring of the tests' },
  { name: 'dbus-daemon', binary: 'dbus-daemon', gives: 'a session bus for the keyring of the tests' },
  { name: 'gnome-keyring', binary: 'gnome-keyring-daemon', gives: 'tests of the keyring' },
  { name: 'python3', binary: '/usr/bin/python3', gives: 'servers that come from Python packages' },
  { name: 'chromium', binary: 'chromium', gives: 'tests of the website in a browser' },
  { name: 'chromium-headless-shell', binary: 'chromium-headless-shell', gives: 'the same at half the processor time' },
  { name: 'python3-venv', binary: '/usr/share/python-wheels', gives: 'the Python base image of the testbed' },
  { name: 'zsh', binary: 'zsh', gives: 'completion tried in zsh' },
  { name: 'fish', binary: 'fish', gives: 'completion tried in fish' },
  { name: 'curl', binary: 'curl', gives: 'pages of the documentation that call the API' },
]

/** Installs what is missing where it may (root and apt); else says what is missing, what it costs and the command. */
export function bringSystemPackages(packages, purpose) {
  if (process.platform !== 'linux')
    return explain(packages, `${purpose} uses Debian packages, and this is ${process.platform}`)
  const missing = packages.filter(({ binary }) => !isHere(binary))
  if (missing.length === 0) return []
  if (!isHere('apt-get')) return explain(missing, 'this machine has no apt-get')
  if (process.getuid?.() !== 0) return explain(missing, 'only root may install system packages')
  console.log(`Installing ${missing.map(({ name }) => name).join(' ')} (apt-get) …`)
  const failure = withoutServices(() => aptInstall(missing.map(({ name }) => name)))
  const still = packages.filter(({ binary }) => !isHere(binary))
  return still.length === 0 ? [] : explain(still, failure ?? 'apt-get did not bring them')
}

function explain(missing, why) {
  const names = missing.map(({ name }) => name)
  console.log(`Not installed, because ${why}:`)
  for (const { name, gives } of missing) console.log(`  ${name} – without it there is no: ${gives}`)
  if (process.platform === 'linux')
    console.log(`To have them: sudo apt-get install --no-install-recommends ${names.join(' ')}`)
  return names
}

function aptInstall(names) {
  const install = () => apt('install', '-y', '--no-install-recommends', ...names)
  // A fresh machine has no package lists, an old one has stale lists: fetch them only when the first try fails.
  let done = install()
  if (done.status !== 0) {
    apt('update')
    done = install()
  }
  if (done.status === 0) return undefined
  const said = String(done.stderr ?? '')
    .trim()
    .split('\n')
    .findLast((line) => line.startsWith('E:'))
  return `apt-get failed${said ? ` (${said})` : ''}`
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The tests start private engines; the packages' own services must not start on the machine because of us. */
function withoutServices(work) {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return work()
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return work()
  } finally {
    rmSync(policy, { force: true })
  }
}

function isHere(binary) {
  // Daemons live in sbin folders that an ordinary user's PATH leaves out.
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin']
  // A path may be something that is not a program, such as a header file.
  if (path.isAbsolute(binary)) return existsSync(binary)
  const places = folders.map((folder) => path.join(folder, binary))
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false // Not there, or not for us: the next folder may have it.
    }
  })
}
