import * as z from 'zod'
import { until } from '@toolhaven/testing/testbed/until'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { openRawMcp } from '../src/attacks/raw-mcp.ts'
import { callText, connectMcp } from '../src/mcp-client.ts'
import { usePlatform } from '../src/platform.ts'
import { untilStatus } from '../src/statuses.ts'

const platform = usePlatform('process')
/** An id that the third client never counts up to. */
const SAME_ID = 1_000_007

describeAttack("a client that waits for another's answer", {
  defence: 'the rewriting of ids on the way to a shared server',
  weaknesses: [
    {
      file: 'packages/gateway/src/servers/pending-calls.ts',
      find: 'const id = this.#nextId++',
      replace: 'const id = typeof pending.call?.request.id === "number" ? pending.call.request.id : this.#nextId++',
    },
  ],
  attack: async (build, context) => {
    const here = platform(context)
    await using home = await here.makeHome()
    await using daemon = await build.start(home)
    await daemon.api.call('createWorkload', { body: { name: 'shared', image: here.fixture } })
    await untilStatus(daemon, 'shared', 'running')
    const { url } = await daemon.api.call('getWorkload', { params: { name: 'shared' } })
    const [victim, attacker] = [await openRawMcp(url), await openRawMcp(url)]
    await using other = await connectMcp(url)
    // Answered when it is released. The attacker asks with the same id in the meantime, and gets no answer for a while.
    const held = victim.call('progress', { steps: 1, text: 'of the victim', hold: true }, SAME_ID)
    held.catch(() => undefined)
    for (const text of ['once', 'twice']) await callText(other, 'echo', { text })
    const asked = attacker.call('sleep', { ms: 8000, text: 'of the attacker' }, SAME_ID)
    const isAsked = async () =>
      z.object({ sleeping: z.int() }).parse(JSON.parse(await callText(other, 'stats'))).sleeping > 0
    await until('the attacker to be waiting', isAsked)
    await callText(other, 'release')
    const got = await asked
    return { "the attacker gets the victim's answer": got.body.includes('of the victim') }
  },
})
