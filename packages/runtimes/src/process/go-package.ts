import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid, notFound, unavailable } from '@toolhaven/core/errors'
import type { PrepareOptions } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import { findProgram } from '../package-index/find-program.ts'
import { goEnv } from '../package-index/go-env.ts'
import { proxyVariables } from '../package-index/network-variables.ts'
import { runProgram } from '../package-index/run-program.ts'
import { bundleCertificates, runFetch } from './fetch-run.ts'
import { createLayout, isSystemPath } from './layout.ts'
import { fillFolder, isFetched, packageFolder } from './package-cache.ts'
import type { PackageName, PackageTools } from './prepare-package.ts'
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
    environment: [process.platform, process.arch],
  })
  if (await isFetched(folder)) return folder
  const go = await findProgram('go', tools.env['PATH'])
  if (go === undefined) {
    throw invalid(
      `The Go package ${name} needs Go or a container engine; install Go (apt install golang-go, brew install go), Docker or Podman.`,
    )
  }
  options.onProgress({ phase: 'fetching', detail: `Go package ${name}@${version}` })
  await fillFolder(folder, async ({ target, scratch }) => {
    await build({ tools, go, target, scratch, caCertificate: options.caCertificate }, `${name}@${version}`, signal)
    const [program, ...others] = await readdir(join(target, 'bin')).catch(() => [])
    if (program === undefined || others.length > 0)
      throw invalid(`The Go package ${name} holds no program; name the folder of its main package.`)
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
}

/** The user's settings, whether they come from variables or from `go env -w`. */
const SETTINGS = ['GOROOT', 'GOPROXY', 'GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB', 'GOINSECURE'] as const
const settingsSchema = z.record(z.enum(SETTINGS), z.string())

async function build(
  { tools, go, target, scratch, caCertificate }: Build,
  what: string,
  signal: AbortSignal,
): Promise<void> {
  const { env, homeDir, sandbox } = tools
  const told = await runProgram(go, ['env', '-json', ...SETTINGS], { env: goEnv(env, homeDir), cwd: '/' }, signal)
  const { GOROOT, ...settings } = settingsSchema.parse(JSON.parse(told.stdout))
  const layout = createLayout(sandbox)
  const root = await realpath(GOROOT)
  if (!isSystemPath(root)) layout.place(root, root)
  const bundle = await bundleCertificates(
    join(scratch, 'certificates.pem'),
    [env['SSL_CERT_FILE'] || undefined],
    caCertificate,
  )
  const inScratch = (name: string) => join(sandbox.isolatesFiles ? '/tmp' : scratch, name)
  const result = await runFetch(
    {
      sandbox,
      layout,
      program: join(root, 'bin', 'go'),
      // No C compiler runs on foreign code, and the program needs no library of this machine.
      env: {
        ...proxyVariables(env),
        ...settings,
        ...(bundle === undefined ? {} : { SSL_CERT_FILE: inScratch('certificates.pem') }),
        CGO_ENABLED: '0',
        GOBIN: join(layout.place(target, SANDBOX_PACKAGE, 'writable'), 'bin'),
        GOPATH: inScratch('go'),
        GOCACHE: inScratch('go-cache'),
        // Otherwise the module cache is read-only and cannot be cleaned up.
        GOFLAGS: '-modcacherw -trimpath',
        GOENV: 'off',
      },
      args: ['install', '--', what],
      scratch,
    },
    signal,
  )
  if (result.exitCode === 0) return
  const last = result.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  if (/dial tcp|connection refused|no such host|i\/o timeout|certificate/i.test(result.stderr)) {
    throw unavailable(`The Go module proxy could not be reached for ${what}; check the network and GOPROXY.`)
  }
  if (/not found|unknown revision|no matching versions|404|410/i.test(result.stderr))
    throw notFound(`The Go package ${what} was not found (${last}).`)
  throw unavailable(`The Go package ${what} could not be built (${last}).`)
}
