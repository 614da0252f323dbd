import { afterAll, afterEach, beforeAll, describe, test, type TestContext } from 'vitest'
import { forwardingCases } from './runtime-suite/forwarding-cases.ts'
import { hidingCases } from './runtime-suite/hiding-cases.ts'
import { instanceCases } from './runtime-suite/instance-cases.ts'
import { isolationCases } from './runtime-suite/isolation-cases.ts'
import { mountCases } from './runtime-suite/mount-cases.ts'
import { outputCases } from './runtime-suite/output-cases.ts'
import { startSession, type RuntimeCases, type RuntimeUnderTest, type Session } from './runtime-suite/session.ts'
import { sourceCases } from './runtime-suite/source-cases.ts'
import { stdioCases } from './runtime-suite/stdio-cases.ts'
import { usageCases } from './runtime-suite/usage-cases.ts'
import { Unavailable } from './testbed/unavailable.ts'

const ALL_CASES: RuntimeCases = {
  ...{ ...sourceCases, ...instanceCases, ...stdioCases, ...outputCases },
  ...{ ...isolationCases, ...hidingCases, ...mountCases, ...forwardingCases, ...usageCases },
}

/**
 * Tests an adapter against the contract in ports/runtime.ts, with the real engine or sandbox. `make` throws
 * `Unavailable` where that cannot run; the reason is then printed with every test. `cases` limits the tests, for
 * another form of a runtime that passed all of them.
 */
export function describeRuntime(name: string, make: () => Promise<RuntimeUnderTest>, cases = ALL_CASES): void {
  describe(`${name} as a runtime`, () => {
    let under: RuntimeUnderTest | undefined
    let session: Session | undefined
    let unavailable: string | undefined

    beforeAll(async () => {
      try {
        under = await make()
        session = await startSession(under)
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        unavailable = error.message
        process.stderr.write(`skipped: ${name} as a runtime: ${error.message}\n`)
      }
    }, 600_000)
    afterEach(() => session?.removeAll())
    afterAll(async () => {
      await under?.[Symbol.asyncDispose]()
    }, 60_000)

    for (const [title, body] of Object.entries(cases)) {
      test(title, { timeout: 120_000 }, async (context: TestContext) => {
        if (session === undefined) return context.skip(unavailable ?? 'the runtime was not made')
        await body(session, (reason) => {
          process.stderr.write(`skipped: ${name}: ${title}: ${reason}\n`)
          return context.skip(reason)
        })
      })
    }
  })
}
