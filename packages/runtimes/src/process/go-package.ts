import { mkdir, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid, notFound, unavailable } from '@toolhaven/core/errors'
import type { InstallAccess, PrepareOptions } from '@toolhaven/core/ports/runtime'
import { refusedHosts } from '../install-rules.ts'
import { findProgram } from '../package-index/find-program.ts'
import { goEnv, goPlaces, userGoSettings } from '../package-index/go-env.ts'
import { proxyVariables } from '../package-index/network-variables.ts'
import { runProgram } from '../package-index/run-program.ts'
import { bundleCertificates } from './bundle-certificates.ts'
import { createLayout, isSystemPath } from './layout.ts'
import { fillFolder, isFetched, packageFolder } from './package-cache.ts'
import type { PackageName, PackageTools } from './package-tools.ts'
import { makeFresh, runStep } from './run-step.ts'
import { SANDBOX_PACKAGE } from './sandbox-plan.ts'

/** Builds one exact version with the machine's Go. */
export async function prepareGo(
  tools: PackageTools,
  { name, version }: PackageName,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<string> {
  const folder = packageFolder(tools.dataDir, {
    scheme: 'go',
    name,
    version,
    environment: [process.platform, process.arch, ...tools.index.key],
  })
  if (await isFetched(folder)) return folder
  const go = await findProgram('go', tools.env['PATH'])
  if (go === undefined) {
    throw invalid(
      `The Go package ${name} needs Go or a container engine. Install Go (apt install golang-go, brew install go), Docker or Podman.`,
    )
  }
  options.onProgress({ phase: 'fetching', detail: `Go package ${name}@${version}` })
  await fillFolder(folder, async ({ target, scratch }) => {
    const { caCertificate, install: access } = options
    await build({ tools, go, target, scratch, caCertificate, access }, `${name}@${version}`, signal)
    await tools.index.confirm()
    const [program, ...others] = await readdir(join(target, 'bin')).catch(() => [])
    if (program === undefined || others.length > 0)
      throw invalid(`The Go package ${name} contains no program. Name the folder of its main package.`)
    return {
      format: 1,
      scheme: 'go',
      name,
      version,
      entry: join('bin', program),
      needs: [],
      interpreter: { kind: 'none' },
    }
  })
  return folder
}

interface Build {
  tools: PackageTools
  go: string
  target: string
  scratch: string
  caCertificate: string | undefined
  access: InstallAccess | undefined
}

/**
 * Fetches with the user's settings, which may contain credentials, and makes Go only print what it would run (-n). Then
 * builds from what was fetched, without network.
 */
async function build(
  { tools, go, target, scratch, caCertificate, access }: Build,
  what: string,
  signal: AbortSignal,
): Promise<void> {
  const { env, homeDir, sandbox } = tools
  const settings = await userGoSettings({ env, homeDir }, signal)
  const told = await runProgram(go, ['env', 'GOROOT'], { env: goEnv(env, homeDir), cwd: '/' }, signal)
  const root = await realpath(told.stdout.trim())
  const modules = join(scratch, 'modules')
  await mkdir(modules, { mode: 0o700 })
  const command = (own: string) => {
    const layout = createLayout(sandbox)
    if (!isSystemPath(root)) layout.place(root, root)
    const cache = layout.place(modules, '/opt/modules', 'writable')
    const variables = {
      // No C compiler runs on foreign code, and the program needs no library of this machine.
      CGO_ENABLED: '0',
      GOBIN: join(layout.place(target, SANDBOX_PACKAGE, 'writable'), 'bin'),
      GOPATH: join(sandbox.isolatesFiles ? '/tmp' : own, 'go'),
      GOMODCACHE: cache,
      GOCACHE: join(sandbox.isolatesFiles ? '/tmp' : own, 'go-cache'),
      // Otherwise the module cache is read-only and cannot be removed.
      GOFLAGS: '-modcacherw -trimpath',
      GOENV: 'off',
    }
    return { layout, program: join(root, 'bin', 'go'), variables, cache }
  }
  const fetch = command(scratch)
  const bundle = await bundleCertificates(
    join(scratch, 'certificates.pem'),
    [env['SSL_CERT_FILE'] || undefined],
    caCertificate,
  )
  const trust = bundle !== undefined && { SSL_CERT_FILE: sandbox.isolatesFiles ? '/tmp/certificates.pem' : bundle }
  const first = {
    tools,
    what,
    access,
    places: goPlaces(settings),
    layout: fetch.layout,
    program: fetch.program,
    scratch,
  }
  const fetchEnv = { ...proxyVariables(env), ...settings, ...trust, ...fetch.variables }
  const fetchArgs = ['install', '-n', '--', what]
  const fetched = await runStep({ step: 'fetch', ...first, args: fetchArgs, env: fetchEnv }, signal)
  if (fetched.exitCode !== 0 && fetched.refused.length > 0) throw refusedHosts('fetch', what, fetched.refused)
  if (fetched.exitCode !== 0) throw goFailure(what, fetched.stderr)
  const fresh = await makeFresh(scratch)
  const { layout, program, variables, cache } = command(fresh)
  // What was fetched was compared with its checksums then.
  const offline = { GOPROXY: `file://${cache}/cache/download`, GOSUMDB: 'off' }
  const args = ['install', '--', what]
  const second = { tools, what, access: undefined, places: [], layout, program, args, scratch: fresh }
  const built = await runStep({ step: 'install', ...second, env: { ...variables, ...offline } }, signal)
  if (built.exitCode !== 0) throw goFailure(what, built.stderr)
}

function goFailure(what: string, output: string) {
  const last = output.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  if (/dial tcp|connection refused|no such host|i\/o timeout|certificate/i.test(output))
    return unavailable(`The Go module proxy could not be reached for ${what}. Check the network and GOPROXY.`)
  if (/not found|unknown revision|no matching versions|404|410/i.test(output))
    return notFound(`The Go package ${what} was not found (${last}).`)
  return unavailable(`The Go package ${what} could not be built (${last}).`)
}
