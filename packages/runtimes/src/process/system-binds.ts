import { lstat, mkdir, readdir, readlink, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HOSTS_FILE, RESOLVER_FILE } from '../isolation/ways.ts'
import { SANDBOX_HOME, SANDBOX_UID } from './sandbox-plan.ts'
import type { Bind } from './sandbox-plan.ts'
import type { BubblewrapBase } from './bubblewrap.ts'

/** Finds what a program needs from this machine to run at all: libraries, name lookup, certificates. Nothing secret. */
export async function systemBinds(stubDir: string): Promise<Omit<BubblewrapBase, 'disableUserns' | 'limitsSizes'>> {
  const binds: Bind[] = []
  const symlinks: { path: string; target: string }[] = []
  for (const path of ROOT_FOLDERS) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink()) symlinks.push({ path, target: await readlink(path) })
    else if (found !== undefined) binds.push(sameReadOnly(path))
  }
  for (const path of ETC_PATHS) if (await exists(path)) binds.push(sameReadOnly(path))
  return { binds, symlinks, procBinds: await procCovers(), ...(await writeStubs(stubDir)) }
}

/** /nix/store and /gnu/store contain the libraries of programs from those package managers. */
const ROOT_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']

/** Certificates without /etc/ssl/private: a daemon that is root could otherwise expose its keys. */
const ETC_PATHS = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/gai.conf',
  '/etc/host.conf',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/pki/ca-trust/extracted',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/certs',
  '/etc/protocols',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl/cert.pem',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/timezone',
]

/**
 * A daemon that is root runs its sandboxes as the same kernel user, without capabilities, but /proc checks only the
 * user id for many of its files: /proc/sys would be writable (seen with bubblewrap 0.8, which covers only some of
 * them). For other users, these are files that everyone may write, such as /proc/pressure.
 */
async function procCovers(): Promise<Bind[]> {
  const covers: Bind[] = []
  for (const entry of await readdir('/proc', { withFileTypes: true })) {
    if (/^\d+$/.test(entry.name) || entry.isSymbolicLink()) continue
    const path = join('/proc', entry.name)
    const mode = (await stat(path).catch(() => undefined))?.mode ?? 0
    if (entry.isDirectory()) covers.push(sameReadOnly(path))
    else if ((mode & 0o004) === 0) covers.push({ hostPath: '/dev/null', sandboxPath: path, readOnly: true })
    else if ((mode & 0o222) !== 0) covers.push(sameReadOnly(path))
  }
  return covers
}

async function writeStubs(stubDir: string) {
  const passwdPath = join(stubDir, 'passwd')
  const groupPath = join(stubDir, 'group')
  const hostsPath = join(stubDir, 'hosts')
  const resolverPath = join(stubDir, 'resolv.conf')
  await mkdir(stubDir, { recursive: true, mode: 0o755 })
  await writeFile(passwdPath, `user:x:${SANDBOX_UID}:${SANDBOX_UID}:user:${SANDBOX_HOME}:/usr/sbin/nologin\n`, {
    mode: 0o644,
  })
  await writeFile(groupPath, `user:x:${SANDBOX_UID}:\n`, { mode: 0o644 })
  await writeFile(hostsPath, HOSTS_FILE, { mode: 0o644 })
  await writeFile(resolverPath, RESOLVER_FILE, { mode: 0o644 })
  return { passwdPath, groupPath, hostsPath, resolverPath }
}

function sameReadOnly(path: string): Bind {
  return { hostPath: path, sandboxPath: path, readOnly: true }
}

/** Follows links: a dangling /etc/resolv.conf is absent. */
async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
