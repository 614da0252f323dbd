import { describe } from 'vitest'
import { SHIPPED, type Weakness } from '../src/attacks/build.ts'
import { openCaptive } from '../src/attacks/captive.ts'
import { describeAttack, type Gains } from '../src/attacks/describe-attack.ts'
import { attackedPlatforms } from '../src/attacks/attacked-platforms.ts'
import { type PlatformKind, usePlatform } from '../src/platform.ts'

const BODY = 'packages/runtimes/src/engine/container-body.ts'
const ENGINE_WALLS: readonly Weakness[] = [
  { file: BODY, find: "CapDrop: ['ALL'],", replace: '' },
  { file: BODY, find: "SecurityOpt: ['no-new-privileges'],", replace: '' },
]

const BUBBLEWRAP = 'packages/runtimes/src/process/bubblewrap.ts'
const WALLS: Record<PlatformKind, readonly Weakness[]> = {
  process: [
    {
      file: BUBBLEWRAP,
      find: "...(descriptors.seccomp === undefined ? [] : ['--seccomp', String(descriptors.seccomp)]),",
      replace: '',
    },
    {
      file: BUBBLEWRAP,
      find: "...['--remount-ro', '/', '--chdir', plan.workDir",
      replace: "...['--chdir', plan.workDir",
    },
  ],
  docker: ENGINE_WALLS,
  podman: ENGINE_WALLS,
}

/** What the kernel says about the server's process. */
const FACT = (status: string, name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1]

const WRITE = `try { require('node:fs').writeFileSync('/planted', ''); console.log('written') } catch (error) { console.log(error.code) }`

describe.each(attackedPlatforms('escape'))('on %s', (kind) => {
  const platform = usePlatform(kind)

  describeAttack('a server that reaches for more than it was given', {
    defence: 'the walls around a server',
    weaknesses: WALLS[kind],
    attack: async (build, context): Promise<Gains> => {
      await using captive = await openCaptive(build, platform(context))
      const status = await captive.run('node', '-p', `require('node:fs').readFileSync('/proc/self/status', 'utf8')`)
      if (kind === 'process')
        return {
          'calls the whole kernel': FACT(status, 'Seccomp') !== '2',
          'writes beside its own files': (await captive.run('node', '-e', WRITE)).includes('written'),
        }
      return {
        'could gain capabilities': FACT(status, 'CapBnd') !== '0'.repeat(16),
        // The forwarder ensures that as well, so no single weakness removes it.
        ...(build === SHIPPED && { 'could gain rights by a program': FACT(status, 'NoNewPrivs') !== '1' }),
      }
    },
  })
})
