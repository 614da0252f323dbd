import { describe, type TestContext } from 'vitest'
import * as z from 'zod'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'
import { buildHostileImage, type HostileImage } from '@toolhaven/testing/testbed/hostile-image'
import type { Build } from '../src/attacks/build.ts'
import { type Captive, openCaptive } from '../src/attacks/captive.ts'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { KNOWN_PLACE, NO_LOOK } from '../src/attacks/filter-weaknesses.ts'
import { enginesInTurn, type Platform, usePlatform } from '../src/platform.ts'
import { untilReport } from '../src/statuses.ts'

const GUARD = 'packages/runtimes/src/engine/container-guard.ts'
const IMAGE = 'packages/runtimes/src/engine/image-config.ts'
const BODY = 'packages/runtimes/src/engine/container-body.ts'

/** Makes the system call filter apply. */
const CONFINED = { permission_profile: { network: { outbound: {} } } }

/** Runs the image, asks, and removes it. */
async function ask(
  build: Build,
  here: Platform,
  image: Pick<HostileImage, 'lines' | 'links'>,
  question: (captive: Captive) => Promise<boolean>,
): Promise<boolean> {
  await using captive = await openCaptive(build, here, { image: await buildImage(here, image), ...CONFINED })
  return await question(captive)
}

async function buildImage(
  { engine, fixture: from }: Platform,
  image: Pick<HostileImage, 'lines' | 'links'>,
): Promise<string> {
  const reference = 'docker.io/library/thv-hostile:1'
  await buildHostileImage(engine?.socketPath ?? '', { reference, from, ...image })
  return reference
}

const isReplaced = async (captive: Captive) =>
  (await captive.run('node', '-p', 'process.env.IMPOSTOR ?? "not there"')).includes('ran')

/** Whether it can write to the memory of a process that has fewer filters than itself. */
const REACH_INIT = `
const fs = require('node:fs')
const filters = (id) => Number(/^Seccomp_filters:\\s*(\\d+)/m.exec(fs.readFileSync('/proc/' + id + '/status', 'utf8'))[1])
try { fs.closeSync(fs.openSync('/proc/1/mem', 'r+')); console.log(filters(1) < filters('self') ? 'freer' : 'alike') } catch (error) { console.log(error.code) }`

/** Tells whether the health check ran, which writes this file. */
const CHECKED = '/tmp/checked'
const WAIT_FOR_CHECK = `
const fs = require('node:fs')
const last = Date.now() + 8000
const look = () => {
  if (fs.existsSync('${CHECKED}')) console.log('it ran')
  else if (Date.now() < last) setTimeout(look, 200)
  else console.log('it did not run')
}
look()`
const HEALTH_CHECK = `HEALTHCHECK --interval=1s CMD ["node", "-e", "require('node:fs').writeFileSync('${CHECKED}', '')"]`

const inspected = z.looseObject({
  Config: z.looseObject({ Healthcheck: z.looseObject({ Test: z.array(z.string()).nullish() }).nullish() }),
})

async function hasHealthCheck({ engine }: Platform): Promise<boolean> {
  const text = await engineMust(engine?.socketPath ?? '', 'GET', '/containers/thv-captive/json')
  const test = inspected.parse(JSON.parse(text)).Config.Healthcheck?.Test ?? []
  return test.length > 0 && test[0] !== 'NONE'
}

const listed = z.array(z.looseObject({ Names: z.array(z.string()), Labels: z.record(z.string(), z.string()) }))

/** The status that a new workload reaches. Undefined when the daemon refuses it. */
async function settled({ daemon }: Captive, body: CreateRequest & { name: string }): Promise<string | undefined> {
  const isTaken = await daemon.api.call('createWorkload', { body }).then(
    () => true,
    () => false,
  )
  if (!isTaken) return undefined
  await untilReport(daemon, body.name, 'settled', ({ status }) => status === 'running' || status === 'error')
  return (await daemon.api.call('getWorkload', { params: { name: body.name } })).status
}

/** Whether a container with the forged label is created. */
async function isForged(captive: Captive, { engine }: Platform, body: CreateRequest & { name: string }) {
  if ((await settled(captive, body)) === undefined) return false
  const all = listed.parse(JSON.parse(await engineMust(engine?.socketPath ?? '', 'GET', '/containers/json?all=true')))
  const found = all.find(({ Names }) => Names.some((name) => name.replace(/^\//, '') === `thv-${body.name}`))
  return found?.Labels['toolhaven-session'] === 'forged'
}

describe.each(enginesInTurn())('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('an image that puts its program in the place of ours', {
    defence: 'a place that no image can know',
    weaknesses: [KNOWN_PLACE, NO_LOOK],
    attack: async (build, context: TestContext) => ({
      'by a volume at a link': await ask(
        build,
        platform(context),
        { lines: ['VOLUME /deep/er'], links: { 'deep/er': '../.toolhaven' } },
        isReplaced,
      ),
    }),
  })

  describeAttack('an image that has itself checked', {
    defence: 'the end of health checks',
    weaknesses: [{ file: BODY, find: "Healthcheck: { Test: ['NONE'] },", replace: '' }],
    attack: async (build, context) => ({
      'a program runs without our filter': await ask(
        build,
        platform(context),
        { lines: [HEALTH_CHECK] },
        // Podman leaves health checks to systemd, which does not run here.
        async ({ run }) =>
          kind === 'docker'
            ? (await run('node', '-e', WAIT_FOR_CHECK)).includes('it ran')
            : hasHealthCheck(platform(context)),
      ),
    }),
  })

  describeAttack('labels that make a container look like another', {
    defence: 'labels that only we set',
    weaknesses: [
      { file: IMAGE, find: 'isReservedLabel(key) && !OF_BUILDS.has(key)', replace: 'false' },
      {
        file: 'packages/core/src/workloads/config/compose.ts',
        find: 'refuseReservedLabels(asked)',
        replace: 'undefined',
      },
      {
        file: 'packages/core/src/workloads/running/instance-spec.ts',
        find: 'withoutReserved(config.container_labels)',
        replace: 'config.container_labels',
      },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      const image = await buildImage(here, { lines: ['LABEL toolhaven-session=forged'] })
      await using captive = await openCaptive(build, here)
      const bodies = {
        'from an image': { name: 'labelled', image },
        'from a request': { name: 'asked', image: here.fixture, labels: { 'toolhaven-session': 'forged' } },
      }
      const gains = Object.entries(bodies).map(async ([attempt, body]) => [
        attempt,
        await isForged(captive, here, body),
      ])
      return Object.fromEntries(await Promise.all(gains))
    },
  })

  describeAttack('a few digits that are the beginning of the id of an image', {
    defence: 'the look at references that are no names',
    weaknesses: [
      {
        file: 'packages/runtimes/src/engine/images.ts',
        find: 'const written = isIdPart(text)',
        replace: 'const written = !text',
      },
    ],
    attack: async (build, context) => {
      const here = platform(context)
      await using captive = await openCaptive(build, here)
      const text = await engineMust(here.engine?.socketPath ?? '', 'GET', `/images/${here.fixture}/json`)
      const id = z.looseObject({ Id: z.string() }).parse(JSON.parse(text)).Id.replace('sha256:', '')
      const gains: Record<string, boolean> = {}
      // Podman itself accepts only whole ids with their kind.
      const withKind = kind === 'docker' ? [`sha256:${id.slice(0, 12)}`] : []
      for (const image of [id.slice(0, 6), id.slice(0, 12), id, ...withKind])
        gains[`${image.startsWith('sha256:') ? 'with its kind, ' : ''}${image.length} characters start it`] =
          (await settled(captive, { name: `digits-${image.length}`, image })) === 'running'
      return gains
    },
  })

  if (kind === 'docker')
    describeAttack('a server that writes the memory of the first process', {
      defence: 'a first process under our filter',
      weaknesses: [
        { file: BODY, find: 'Init: hardening.init && network.command === undefined', replace: 'Init: hardening.init' },
        { file: GUARD, find: "'-p', '--'", replace: "'--'" },
        NO_LOOK,
      ],
      attack: async (build, context) => ({
        'which has no filter of ours': await ask(build, platform(context), { lines: [] }, async (captive) =>
          (await captive.run('node', '-e', REACH_INIT)).includes('freer'),
        ),
      }),
    })
})
