import { expect, test } from 'vitest'
import { visitPage } from './visit-page.ts'

const open = (path: string) => visitPage(new Request(`http://localhost:8080${path}`))

test('the page says where the link leads, and leads there', async () => {
  const response = open('/run?image=npx://a&x=1')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(await response.text()).toContain('<a href="/run?image=npx://a&amp;x=1">')
})

test.each([
  '//evil.example/',
  '///evil.example',
  '/%22><script>alert(1)</script>',
  "/?q='><img src=x>",
  '/\\evil.example',
])('a hostile address makes neither markup nor a way out: %s', async (path) => {
  const text = await open(path).text()
  expect(text).not.toMatch(/<script|<img/)
  const [, address = ''] = /<a href="([^"]*)"/.exec(text) ?? []
  expect(new URL(address, 'http://localhost:8080/').host).toBe('localhost:8080')
})
