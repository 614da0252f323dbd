import { invalid, notFound, unavailable } from '@toolhaven/core/errors'
import { EnvHttpProxyAgent, request } from 'undici'
import { z } from 'zod'
import { findProgram } from './find-program.ts'
import { goEnv } from './go-env.ts'
import { runProgram } from './run-program.ts'

interface GoOptions {
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
}

/** The newest version of the module that contains the package: from `go`, otherwise from the proxies in GOPROXY. */
export async function latestGoVersion({ env, homeDir }: GoOptions, name: string, signal: AbortSignal): Promise<string> {
  const go = await findProgram('go', env['PATH'])
  if (go !== undefined) return await askGo(go, name, goEnv(env, homeDir), signal)
  const proxies = (env['GOPROXY'] ?? '').split(/[,|]/).filter((entry) => /^https?:\/\//.test(entry))
  if (proxies.length === 0)
    throw invalid(
      `Go is missing, so ${name} cannot be looked up. Install it (apt install golang-go, brew install go) or set GOPROXY.`,
    )
  for (const proxy of proxies) {
    const version = await askProxy(proxy, name, env, signal)
    if (version !== undefined) return version
  }
  throw notFound(`The Go package ${name} was not found. Check its path.`)
}

const moduleSchema = z.object({ Version: z.string() })

async function askGo(go: string, name: string, env: Record<string, string>, signal: AbortSignal): Promise<string> {
  let said = ''
  for (const path of modulePaths(name)) {
    const goSettings = { ...env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GO111MODULE: 'on' }
    const { stdout, stderr, exitCode } = await runProgram(
      go,
      ['list', '-m', '-json', '--', `${path}@latest`],
      { env: goSettings, cwd: '/' },
      signal,
    )
    if (exitCode === 0) return moduleSchema.parse(JSON.parse(stdout)).Version
    said = stderr
    if (/dial tcp|connection refused|no such host|timeout|certificate/i.test(stderr)) {
      throw unavailable(`The Go module proxy could not be reached for ${name}. Check the network and GOPROXY.`)
    }
  }
  const reason = said
    .trim()
    .split('\n')
    .at(-1)
    ?.trim()
    .replace(/^server response: /, '')
    .replace(/\.$/, '')
    .slice(0, 200)
  throw notFound(`The Go package ${name} was not found${reason ? ` (${reason})` : ''}. Check its path and version.`)
}

/** https://go.dev/ref/mod#goproxy-protocol */
async function askProxy(
  proxy: string,
  name: string,
  env: GoOptions['env'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const dispatcher = new EnvHttpProxyAgent(proxySettings(env))
  try {
    for (const path of modulePaths(name)) {
      const escaped = path.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
      const answer = await request(`${proxy.replace(/\/$/, '')}/${escaped}/@latest`, { dispatcher, signal }).catch(
        (error: unknown) => {
          signal.throwIfAborted()
          throw unavailable(
            `The Go module proxy could not be reached for ${name}. Check the network and GOPROXY.`,
            error,
          )
        },
      )
      if (answer.statusCode === 200) return moduleSchema.parse(await answer.body.json()).Version
      await answer.body.dump()
      if (answer.statusCode >= 500)
        throw unavailable(`The Go module proxy answered ${answer.statusCode} for ${name}. Try again later.`)
    }
    return undefined
  } finally {
    await dispatcher.close()
  }
}

/** A package is in the module of its own path or of a path above it. The longest that exists is the right one. */
function modulePaths(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_part, index) => parts.slice(0, parts.length - index).join('/'))
}

function proxySettings(env: GoOptions['env']) {
  const httpProxy = env['http_proxy'] ?? env['HTTP_PROXY']
  const httpsProxy = env['https_proxy'] ?? env['HTTPS_PROXY']
  const noProxy = env['no_proxy'] ?? env['NO_PROXY']
  return {
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(noProxy !== undefined && { noProxy }),
  }
}
