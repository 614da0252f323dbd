import { afterEach, expect, test, vi } from 'vitest'
import { choosePort } from './choose-port.ts'

const DEPS = {
  book: { isPortTaken: () => false, nameAtPort: () => undefined },
  gateway: { isPortFree: async () => true },
  host: {},
}

afterEach(() => void vi.restoreAllMocks())

/** What tells that a port is one of theirs comes from `fetch` itself. */
async function isRefusedByFetch(port: number): Promise<boolean> {
  const failure: unknown = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error)
  return failure instanceof Error && failure.cause instanceof Error && failure.cause.message === 'bad port'
}

test('every port that fetch refuses is refused when it is asked for, and no other', { timeout: 60_000 }, async () => {
  const refused = async (port: number) =>
    choosePort(DEPS, '127.0.0.1', port).then(
      () => false,
      (error: unknown) => String(error).includes('choose another'),
    )
  for (const port of [1719, 2049, 5061, 6000, 6566, 6669, 6697, 8080, 9999, 10_079, 10_080, 10_081])
    expect({ port, refused: await refused(port) }).toEqual({ port, refused: await isRefusedByFetch(port) })
})

test('none of them is chosen', async () => {
  const draws = [80 / 22_768, 5 / 22_768]
  vi.spyOn(Math, 'random').mockImplementation(() => draws.shift() ?? 0)
  expect(await choosePort(DEPS, '127.0.0.1', undefined)).toBe(10_005)
})
