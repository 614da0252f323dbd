import { chmod, mkdir, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fileIdentity, type InstanceSpec, type Mount } from '@toolhaven/core/ports/runtime'
import { collect, signal, untilExited, type RuntimeCases, type Session } from './session.ts'

const NETWORKS = ['none', 'host'] as const satisfies InstanceSpec['network'][]

interface Prey {
  mount: Mount
  /** Puts something else in the place of what was checked. */
  replace: { link: () => Promise<void>; folder: () => Promise<void> }
}

/** A folder below one that others can write, as the check before a start saw it. */
async function checkedFolder({ sharedFolder }: Session): Promise<Prey> {
  const [parent, theirs] = [await sharedFolder(), await sharedFolder()]
  const folder = join(parent, 'data')
  const makeFolder = async (path: string, text: string) => {
    await mkdir(path, { recursive: true })
    await chmod(path, 0o777)
    await writeFile(join(path, 'file'), text)
  }
  await makeFolder(folder, 'meant')
  await makeFolder(theirs, 'canary')
  const identity = fileIdentity(await stat(folder, { bigint: true }))
  const moveAway = () => rename(folder, `${folder}-before`)
  return {
    mount: { hostPath: folder, containerPath: '/shared', readOnly: true, identity },
    replace: {
      link: () => moveAway().then(() => symlink(theirs, folder)),
      folder: () => moveAway().then(() => makeFolder(folder, 'canary')),
    },
  }
}

/** The output of a server that reads its mount. Empty when it does not start. */
async function said(session: Session, mount: Mount, network: InstanceSpec['network'], onCreated = async () => {}) {
  const { runtime } = session
  try {
    const handle = await session.create(['pry', '/shared/file'], { mounts: [mount], network })
    await onCreated()
    const pipe = collect(await runtime.attach(handle, signal()))
    await runtime.start(handle, signal())
    await untilExited(runtime, handle)
    await pipe.closed
    return pipe.stdout()
  } catch (error) {
    // The error says what happened, so that a fault of the suite does not count as a refusal.
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('changed while') })
    return ''
  }
}

export const mountCases: RuntimeCases = {
  'runs with a mount that is what was checked': async (session) => {
    for (const network of NETWORKS) {
      const { mount } = await checkedFolder(session)
      expect(await said(session, mount, network)).toContain('meant')
    }
  },

  'runs with a checked mount below another one, and at a path written in another way': async (session) => {
    const { mount } = await checkedFolder(session)
    const outer = { hostPath: await session.sharedFolder(), containerPath: '/outer', readOnly: false }
    const mounts = [outer, { ...mount, containerPath: '/outer//with space=/inner/' }]
    const { stdout } = await session.run(['pry', '/outer/with space=/inner/file'], { mounts })
    expect(stdout).toContain('meant')
  },

  'does not run when somebody leads a mount below another one to another place': async (session) => {
    const { runtime } = session
    const { mount } = await checkedFolder(session)
    const shared = await session.sharedFolder()
    await mkdir(join(shared, 'tools'))
    const outer = { hostPath: shared, containerPath: '/outer', readOnly: false }
    const mounts = [outer, { ...mount, containerPath: '/outer/tools' }]
    const handle = await session.create(['pry', '/elsewhere/file'], { mounts })
    // As another workload with the same folder could do, after this one was checked.
    await rename(join(shared, 'tools'), join(shared, 'before'))
    await symlink('/elsewhere', join(shared, 'tools'))
    const pipe = collect(await runtime.attach(handle, signal()))
    await runtime.start(handle, signal()).then(
      () => untilExited(runtime, handle),
      (error: unknown) => expect(error).toHaveProperty('code'),
    )
    expect(pipe.stdout()).toBe('')
  },

  'does not run when a mount was replaced between its check and its creation': async (session) => {
    for (const network of NETWORKS)
      for (const how of ['link', 'folder'] as const) {
        const { mount, replace } = await checkedFolder(session)
        await replace[how]()
        expect(await said(session, mount, network)).toBe('')
      }
  },

  'does not run when a mount was replaced between its creation and its start': async (session) => {
    for (const network of NETWORKS)
      for (const how of ['link', 'folder'] as const) {
        const { mount, replace } = await checkedFolder(session)
        expect(await said(session, mount, network, replace[how])).toBe('')
      }
  },
}
