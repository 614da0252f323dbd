import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { invalid, notFound } from '@toolhaven/core/errors'
import type { EngineAddress } from '../engine/engine-client.ts'
import { parseEngineHost } from '../engine/parse-engine-host.ts'

const configSchema = z.looseObject({ currentContext: z.string().optional() })
const metaSchema = z.looseObject({ Endpoints: z.looseObject({ docker: z.looseObject({ Host: z.string() }) }) })

/** The name of the Docker context in use, unless it is the default one. */
export async function currentDockerContext(
  configFolder: string,
  override: string | undefined,
): Promise<string | undefined> {
  const name = override ?? (await readJson(join(configFolder, 'config.json'), configSchema))?.currentContext
  return name === undefined || name === '' || name === 'default' ? undefined : name
}

/** The address of a context's engine. Docker stores contexts under the hash of their name. */
export async function dockerContextAddress(configFolder: string, name: string): Promise<EngineAddress> {
  const hash = createHash('sha256').update(name).digest('hex')
  const host = await dockerContextHost(join(configFolder, 'contexts', 'meta', hash))
  if (host === '')
    throw notFound(`The Docker context ${name} is in use but not defined. Choose another with "docker context use".`)
  const tls = await readTls(join(configFolder, 'contexts', 'tls', hash, 'docker'))
  return parseEngineHost(host, tls)
}

/** The address in the context of a folder, in the form of DOCKER_HOST. Empty when there is none. */
export async function dockerContextHost(folder: string): Promise<string> {
  return (await readJson(join(folder, 'meta.json'), metaSchema))?.Endpoints.docker.Host ?? ''
}

/** The certificates of a folder as Docker lays them out. Undefined when one is missing. */
export async function readTls(folder: string): Promise<{ ca: string; cert: string; key: string } | undefined> {
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined)
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')])
  return ca === undefined || cert === undefined || key === undefined ? undefined : { ca, cert, key }
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw invalid(`${path} is not what Docker writes there. Repair or remove it.`)
  }
}
