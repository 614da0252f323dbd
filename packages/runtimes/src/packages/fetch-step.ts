import { z } from 'zod'
import type { RuntimeName } from '@toolhaven/core/ports/runtime'
import { inspectContainer, removeContainer, startContainer, waitContainer } from '../engine/containers.ts'
import { containerLogs } from '../engine/container-logs.ts'
import type { EngineClient } from '../engine/engine-client.ts'
import { refusal } from '../engine/engine-fault.ts'
import { openStdioChannel } from '../engine/stdio-channel.ts'
import { INSTALL_LIMITS } from '../install-rules.ts'
import type { PackageImage } from './package-image.ts'
import { tar } from './tar.ts'
import { BUILD_LABEL, CONFIG_FOLDER, RUN_AS } from './template.ts'

export interface FetchStep {
  client: EngineClient
  runtime: RuntimeName
  image: PackageImage
  /** Of the container. */
  name: string
  owner: string
  /** The user's configuration file; empty where there is none. */
  config: string
  variables: Readonly<Record<string, string>>
}

export interface StepResult {
  exitCode: number
  output: string
  /** The file system that the step left, as an image. */
  image: string
}

const createdSchema = z.looseObject({ Id: z.string() })

/**
 * Fetches a package in a container. What may hold a token goes in through its standard input, to a file in memory and to
 * variables of its processes: neither the container's configuration nor a layer ever holds it, whenever the work is broken off.
 */
export async function runFetchStep(step: FetchStep, signal: AbortSignal): Promise<StepResult> {
  const { client, image, name } = step
  const create = { method: 'POST', path: '/containers/create', query: { name }, body: bodyOf(step) } as const
  const { Id: id } = await client.json(createdSchema, create, signal).catch((error: unknown) => {
    throw refusal(`create ${name}`, error)
  })
  try {
    const files = Object.entries(image.steps.files).map(([file, text]) => [`build/${file}`, text])
    const own = ['app', 'build'].map((folder) => ({ name: folder, owner: Number(USER), mode: 0o755 }))
    const body = tar(Object.fromEntries(files), 0o644, own)
    await client.send({ method: 'PUT', path: `/containers/${id}/archive`, query: { path: '/' }, body }, signal)
    const query = { stream: true, stdin: true, stdout: true, stderr: true }
    const { socket, head } = await client.upgrade({ method: 'POST', path: `/containers/${id}/attach`, query }, signal)
    const input = openStdioChannel(socket, head)
    try {
      await startContainer(client, { runtime: step.runtime, id, name }, signal)
      await input.write(inputOf(step))
      return await ended(client, { runtime: step.runtime, id, name }, signal)
    } finally {
      input.close()
    }
  } finally {
    // Not the caller's signal: it must go even when the build was called off.
    await removeContainer(client, id, AbortSignal.timeout(30_000))
  }
}

/** Waits for the end of a step's container and keeps its files as an image named like it. */
export async function ended(
  client: EngineClient,
  handle: { runtime: RuntimeName; id: string; name: string },
  signal: AbortSignal,
): Promise<StepResult> {
  await waitContainer(client, handle.id, 'not-running', signal)
  const container = await inspectContainer(client, handle.id, signal)
  const chunks: Uint8Array[] = []
  for await (const { data } of containerLogs(client, handle, { tail: MOST_LINES }, signal)) chunks.push(data)
  const repo = `${REPOSITORY}${handle.name}`
  const query = { container: handle.id, repo, tag: 'latest', pause: false }
  // Podman wants a configuration; an empty one changes nothing.
  await client.send({ method: 'POST', path: '/commit', query, body: {} }, signal).catch((error: unknown) => {
    throw refusal(`keep the files of ${handle.name}`, error)
  })
  return {
    exitCode: container?.State.ExitCode ?? 1,
    output: Buffer.concat(chunks).toString(),
    image: `${repo}:latest`,
  }
}

const MOST_LINES = 500
const REPOSITORY = 'toolhaven.local/'
const [USER] = RUN_AS.split(':')

function bodyOf({ image, owner }: FetchStep): Record<string, unknown> {
  const { fetch, config } = image.steps
  const place = config === undefined ? '/dev/null' : `${CONFIG_FOLDER}/${config}`
  return {
    Image: image.baseImage,
    User: RUN_AS,
    Entrypoint: ['/bin/sh'],
    Cmd: ['-c', READ_INPUT, 'sh', place, ...fetch.command],
    Env: Object.entries(fetch.env).map(([key, value]) => `${key}=${value}`),
    Labels: { [BUILD_LABEL]: owner },
    Healthcheck: { Test: ['NONE'] },
    OpenStdin: true,
    AttachStdin: true,
    HostConfig: {
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: INSTALL_LIMITS.pids,
      ...{ Memory: INSTALL_LIMITS.memoryBytes, MemorySwap: INSTALL_LIMITS.memoryBytes },
      NetworkMode: 'bridge',
      Tmpfs: { [CONFIG_FOLDER]: 'rw,noexec,nosuid,nodev,size=1m,mode=1777' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '5m', 'max-file': '1' } },
    },
  }
}

/** Variables, then the configuration file, each up to a line with a dot. */
const READ_INPUT = `config=$1
shift
while IFS= read -r line && [ "$line" != . ]; do export "$line"; done
while IFS= read -r line && [ "$line" != . ]; do printf '%s\\n' "$line"; done > "$config"
exec "$@"`

function inputOf({ variables, config }: FetchStep): string {
  const pairs = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const lines = [...pairs, '.', ...config.split('\n').filter((line) => line !== '.'), '.']
  return `${lines.join('\n')}\n`
}
