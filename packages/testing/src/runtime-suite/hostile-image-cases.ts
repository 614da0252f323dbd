import { expect } from 'vitest'
import { z } from 'zod'
import type { Prepared } from '@toolhaven/core/ports/runtime'
import { engineMust } from '../testbed/engine-http.ts'
import { buildHostileImage, type HostileImage } from '../testbed/hostile-image.ts'
import { signal, type RuntimeCases, type Session } from './session.ts'
import { openWayOut } from './way-out.ts'

const containerSchema = z.looseObject({
  Config: z.looseObject({ Healthcheck: z.looseObject({ Test: z.array(z.string()).nullish() }).nullish() }),
})

/** What an image can try before its own program runs, and beside it. Only engines run images. */
export const hostileImageCases: RuntimeCases = {
  'lets no image put its program in the place of the one that applies the filter': async (session) => {
    const links = { 'deep/er': '../.toolhaven', top: '/' }
    for (const lines of [['VOLUME /deep/er'], ['VOLUME /.toolhaven']]) {
      const prepared = await prepareHostile(session, { lines, links })
      const { env } = JSON.parse((await session.run(['facts'], { prepared })).stdout)
      expect(env).not.toHaveProperty('IMPOSTOR')
    }
    // A volume over the root hides our program too, so nothing starts.
    const prepared = await prepareHostile(session, { lines: ['VOLUME /top'], links })
    const { stdout } = await session.run(['facts'], { prepared }).catch(() => ({ stdout: '' }))
    expect(stdout).not.toContain('IMPOSTOR')
  },

  'lets no variable of an image reach into our program': async (session) => {
    const lines = ['ENV LD_PRELOAD=/.toolhaven/forwarder LD_LIBRARY_PATH=/.toolhaven', 'WORKDIR /.toolhaven']
    const prepared = await prepareHostile(session, { lines })
    const { env, filters } = JSON.parse((await session.run(['facts'], { prepared })).stdout)
    expect(env).not.toHaveProperty('IMPOSTOR')
    expect(filters).toBe(JSON.parse((await session.run(['facts'])).stdout).filters)
  },

  'runs no health check of an image': async (session) => {
    const prepared = await prepareHostile(session, { lines: ['HEALTHCHECK --interval=1s CMD ["true"]'] })
    const { handle } = await session.open(['echo'], { prepared })
    const text = await engineMust(socketOf(session), 'GET', `/containers/${handle.id}/json`)
    const test = containerSchema.parse(JSON.parse(text)).Config.Healthcheck?.Test ?? []
    expect(test.filter((word) => word !== 'NONE')).toEqual([])
  },

  'has the first process of a container under the same filters as the server': async ({ run }) => {
    const { filters, firstFilters } = JSON.parse((await run(['facts'])).stdout)
    expect(firstFilters).toBe(filters)
  },

  // With control groups version 1, engines have a folder in memory there that belongs to root inside and has no size.
  'lets no server that is root inside write to the control groups': async (session) => {
    const prepared = await prepareHostile(session, { lines: ['USER 0:0'] })
    const { stdout } = await session.run(['force', '/sys/fs/cgroup/x'], { prepared })
    expect(stdout).toMatch(/^(EROFS|EACCES|EPERM|ENOENT)\n$/)
  },

  'refuses an image with the labels of Toolhaven': async (session) => {
    for (const label of ['toolhaven', 'toolhaven-session', 'toolhaven-sidecar-of', 'toolhaven-filtered-by']) {
      const prepared = await prepareHostile(session, { lines: [`LABEL ${label}=forged`] })
      for (const network of ['none', 'host'] as const)
        await expect(session.create(['echo'], { prepared, network })).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining(label),
        })
    }
    const prepared = await prepareHostile(session, { lines: ['LABEL toolhavens=theirs'] })
    expect((await session.run(['facts'], { prepared })).exitCode).toBe(0)
  },

  'lets an image open the ports that it exposes, unless somebody listed them as ways out': async (session) => {
    const prepared = await prepareHostile(session, { lines: ['EXPOSE 6379 5432/tcp 80/udp'] })
    await using out = await openWayOut([443, 5432, 6379])
    const network = { ...out.way, unlisted: [443, 6379] }
    const { stdout } = await session.run(['listen', '6379', '5432', '443'], { prepared, network })
    expect(JSON.parse(stdout)).toEqual(['listened', 'EADDRINUSE', 'EADDRINUSE'])
  },

  'ends a server whose filter is not in force': async ({ runtime, spec }) => {
    const plain = spec(['echo'], { network: 'host' })
    const labels = { ...plain.labels, 'toolhaven-filtered-by': '1:1' }
    const handle = await runtime.create({ ...plain, labels }, signal())
    try {
      await expect(runtime.start(handle, signal())).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('filter is not in force'),
      })
      expect(await runtime.inspect(handle, signal())).toMatchObject({ state: 'exited' })
    } finally {
      await runtime.remove(handle, signal())
    }
  },
}

async function prepareHostile(session: Session, image: Pick<HostileImage, 'lines' | 'links'>): Promise<Prepared> {
  const reference = 'docker.io/library/thv-hostile:1'
  await buildHostileImage(socketOf(session), { reference, from: 'docker.io/library/thv-fixture:1', ...image })
  return session.runtime.prepare({ kind: 'image', reference }, { pull: 'never', onProgress: () => {} }, signal())
}

function socketOf({ under }: Session): string {
  return z.string().parse(under.engineSocket)
}
