import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import { conflict, describeError, invalid, unsupported } from '@toolhaven/core/errors'
import { parseArgs } from './parse-args.ts'
import { startRelay } from './relay.ts'
import type { TunnelProvider } from './tunnel-provider.ts'
import { readProblem } from '../output/read-problem.ts'

export interface NgrokOptions {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  allowPeer: (socket: Socket) => boolean
}

const PACKAGE = '@ngrok/ngrok'

const argsSchema = z.strictObject({
  'auth-token': z.string().min(1).optional(),
  'auth-token-file': z.string().min(1).optional(),
  url: z.string().min(1).optional(),
  'traffic-policy-file': z.string().min(1).optional(),
})

/** The part of ngrok's package that Toolhaven uses. */
interface Ngrok {
  forward(config: Readonly<Record<string, unknown>>): Promise<{ url(): string | null; close(): Promise<void> }>
}

/** A public address from ngrok, through ngrok's own Node package, which the user installs. */
export function ngrokProvider(options: NgrokOptions): TunnelProvider {
  return {
    async open({ name, target, args }) {
      const config = await configOf(options, parseArgs(argsSchema, args))
      const ngrok = await loadNgrok(options)
      const relay = await startRelay({ target, port: 0, allowPeer: options.allowPeer })
      const lost = Promise.withResolvers<string>()
      try {
        const onStatusChange = (status: string) => status === 'closed' && lost.resolve('ngrok closed the tunnel')
        const listener = await ngrok.forward({
          ...config,
          addr: `127.0.0.1:${relay.port}`,
          metadata: name,
          onStatusChange,
        })
        const url = listener.url()
        if (url === null) throw new Error('ngrok returned no address')
        relay.allowHost(new URL(url).host)
        const close = async () => {
          await listener.close()
          await relay.close()
        }
        return { url: new URL(url).origin, lost: lost.promise, close }
      } catch (error) {
        await relay.close()
        throw conflict(`ngrok opened no tunnel: ${describeError(error)}`, error)
      }
    },
  }
}

async function configOf({ env, cwd }: NgrokOptions, args: z.infer<typeof argsSchema>) {
  const fromFile = args['auth-token-file'] && (await read(cwd, args['auth-token-file'])).trim()
  const token = args['auth-token'] ?? fromFile ?? env['NGROK_AUTHTOKEN']
  if (!token)
    throw invalid(
      'ngrok needs the token of your account\nSet NGROK_AUTHTOKEN, or name a file that contains it: --provider-args \'{"auth-token-file": "ngrok.txt"}\'',
    )
  const domain = args.url && (URL.parse(args.url)?.host || args.url)
  const policy = args['traffic-policy-file'] && (await read(cwd, args['traffic-policy-file']))
  return { authtoken: token, ...(domain && { domain }), ...(policy && { traffic_policy: policy }) }
}

async function read(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    throw invalid(`${file} could not be read: ${readProblem(error)}`, error)
  }
}

/** Looks in the user's project, next to this program, and in npm's global folder. */
async function loadNgrok({ cwd }: NgrokOptions): Promise<Ngrok> {
  const [, program = ''] = process.argv
  for (const place of [cwd, dirname(program), join(dirname(process.execPath), '..', 'lib')]) {
    const file = find(place)
    if (file === undefined) continue
    const loaded: unknown = await import(pathToFileURL(file).href)
    const found = [loaded, isObject(loaded) ? loaded['default'] : undefined].find(isNgrok)
    if (found !== undefined) return found
  }
  throw unsupported(
    `the tunnel provider ngrok needs its package ${PACKAGE}, which is not installed\nInstall it with "npm install -g ${PACKAGE}", or in the folder you are in without -g.`,
  )
}

function find(place: string): string | undefined {
  try {
    return createRequire(join(place, 'x.js')).resolve(PACKAGE)
  } catch {
    return undefined // not here
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isNgrok(value: unknown): value is Ngrok {
  return isObject(value) && typeof value['forward'] === 'function'
}
