import { execFile } from 'node:child_process'
import { cp, mkdir, realpath, symlink, writeFile, chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What programs of the host need to run in an otherwise empty image. */
export async function addPrograms(root: string, programs: readonly string[]): Promise<void> {
  for (const program of programs) await addFile(root, await realpath(program), program)
  await addLibraries(root, programs)
}

/** The libraries `ldd` lists for these files, each at its own path. */
export async function addLibraries(root: string, files: readonly string[]): Promise<void> {
  const lists = await Promise.all(
    files.map((file) =>
      run('ldd', [file]).then(
        ({ stdout }) => stdout,
        () => '',
      ),
    ),
  )
  const paths = new Set(lists.flatMap((list) => list.match(/\/\S+\.so\S*/g) ?? []))
  for (const path of paths) await addFile(root, await realpath(path), path)
}

export async function addFile(root: string, source: string, target: string): Promise<void> {
  const path = join(root, target)
  await mkdir(dirname(path), { recursive: true })
  await cp(source, path, { recursive: true, dereference: true, force: true })
}

export async function addLink(root: string, to: string, at: string): Promise<void> {
  await mkdir(dirname(join(root, at)), { recursive: true })
  await symlink(to, join(root, at))
}

/** Parts of the C library that programs load by name, and those that modules built for an older one still need. */
const C_LIBRARIES = [
  ...['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'],
  ...['libdl.so.2', 'libm.so.6', 'libpthread.so.0', 'librt.so.1', 'libutil.so.1'],
]
/** Compiled modules of packages need them, and every image based on Debian has them. */
const COMPILER_LIBRARIES = ['libgcc_s.so.1', 'libstdc++.so.6', 'libz.so.1']

/** A shell, env and the like, accounts, name lookup and a place for temporary files. */
export async function addSystem(root: string): Promise<void> {
  await addPrograms(root, [
    '/bin/sh',
    '/usr/bin/env',
    '/bin/uname',
    '/bin/cat',
    '/bin/ls',
    '/bin/mkdir',
    '/bin/rm',
    '/bin/chmod',
  ])
  const folder = dirname(await findLibrary('libc.so.6'))
  for (const name of [...C_LIBRARIES, ...COMPILER_LIBRARIES]) {
    await addFile(root, await realpath(join(folder, name)), join(folder, name))
  }
  await mkdir(join(root, 'etc'), { recursive: true })
  await writeFile(
    join(root, 'etc/passwd'),
    'root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n',
  )
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n')
  await writeFile(join(root, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n')
  for (const name of ['tmp', 'root', 'var/tmp']) await mkdir(join(root, name), { recursive: true })
  await chmod(join(root, 'tmp'), 0o1777)
}

async function findLibrary(name: string): Promise<string> {
  const { stdout } = await run('ldd', ['/bin/sh'])
  const path = stdout.match(new RegExp(`/\\S+/${name.replaceAll('.', '\\.')}`))?.[0]
  if (path === undefined) throw new Error(`no ${name} below /bin/sh`)
  return path
}
