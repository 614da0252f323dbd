import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createImageRegistry } from './image-registry.ts'

type Answer = (url: URL) => { status?: number; headers?: Record<string, string>; body?: string }

/** A registry on the loopback with the test's answers. */
async function startRegistry(answer: Answer) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://registry')
    asked.push(`${url.pathname}${url.search}`)
    const { status = 200, headers = {}, body = '' } = answer(url)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = typeof address === 'object' ? `127.0.0.1:${address?.port}` : ''
  return {
    host,
    asked,
    images: createImageRegistry({ fetch, dockerConfigFolder: '/nowhere' }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<unknown>((resolve) => server.close(resolve))
    },
  }
}

const signal = () => AbortSignal.timeout(20_000)
const page = (...tags: string[]) => ({ body: JSON.stringify({ name: 'team/web', tags }) })

test('tags are read page by page, as far as the registry gives new ones', async () => {
  const pages: Readonly<Record<string, readonly string[]>> = { '': ['1.0', '1.1'], '1.1': ['2.0'], '2.0': [] }
  await using registry = await startRegistry(({ searchParams }) =>
    page(...(pages[searchParams.get('last') ?? ''] ?? [])),
  )
  expect(await registry.images.tags(`${registry.host}/team/web:1.0`, signal())).toEqual(['1.0', '1.1', '2.0'])
  expect(registry.asked.filter((path) => path.startsWith('/v2/team/web/tags/list'))).toHaveLength(3)
})

test('a registry that knows no pages is not asked for ever', async () => {
  await using registry = await startRegistry(() => page('1.0', '1.1'))
  expect(await registry.images.tags(`${registry.host}/team/web:1.0`, signal())).toEqual(['1.0', '1.1'])
})

test('a registry that never ends is left after so many pages', async () => {
  let count = 0
  await using registry = await startRegistry(() => page(`${(count += 1)}.0`))
  expect((await registry.images.tags(`${registry.host}/team/web:1.0`, signal())).length).toBe(50)
})

test('what is not a tag is left out, and asks for nothing', async () => {
  await using registry = await startRegistry(() =>
    page('1.1', '1.2\u001B[2J', '../../x', '--all', 'a'.repeat(129), '\uD800'),
  )
  expect(await registry.images.tags(`${registry.host}/team/web:1.0`, signal())).toEqual(['1.1'])
})

test('the digests are those of the list and of the images in it', async () => {
  const part = `sha256:${'3'.repeat(64)}`
  const body = JSON.stringify({ manifests: [{ digest: part }] })
  await using registry = await startRegistry(({ pathname }) =>
    pathname === '/v2/team/web/manifests/latest' ? { body } : { status: 404 },
  )
  const [whole, ...parts] = (await registry.images.digests(`${registry.host}/team/web`, signal())) ?? []
  expect(whole).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(parts).toEqual([part])
  expect(await registry.images.digests(`${registry.host}/team/web:gone`, signal())).toBeUndefined()
})

test.each([
  ['has nothing of that name', { status: 404 }, /no longer has team\/web/],
  ['wants a login', { status: 403 }, /answered 403 .*docker login/],
  ['fails', { status: 500 }, /answered 500/],
  ['answers with something else', { body: '<html>' }, /not a list of tags/],
] as const)('a registry that %s is unavailable', async (_, answer, reason) => {
  await using registry = await startRegistry(() => answer)
  await expect(registry.images.tags(`${registry.host}/team/web:1.0`, signal())).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(reason),
  })
})
