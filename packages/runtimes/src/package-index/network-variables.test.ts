import { expect, test } from 'vitest'
import { goPlaces } from './go-env.ts'
import { ownProxies, proxyPlaces } from './network-variables.ts'

test('the proxies of the user are set in both spellings, and never asked for what is on this machine', () => {
  const own = ownProxies({ HTTPS_PROXY: 'http://me:word@proxy.corp.example:3128', no_proxy: '.corp.example' })
  expect(own?.places).toEqual(['proxy.corp.example:3128'])
  expect(own?.variables).toMatchObject({
    https_proxy: 'http://me:word@proxy.corp.example:3128',
    HTTPS_PROXY: 'http://me:word@proxy.corp.example:3128',
    http_proxy: '',
    NO_PROXY: '.corp.example,localhost,127.0.0.1,::1',
  })
})

test('without a proxy that is asked for anything there is none', () => {
  expect(ownProxies({ NO_PROXY: 'localhost' })).toBeUndefined()
  expect(ownProxies({ HTTP_PROXY: '' })).toBeUndefined()
  expect(ownProxies({ HTTP_PROXY: 'http://proxy.example', no_proxy: '*' })).toBeUndefined()
})

test('a proxy is a place with a port, however it is written', () => {
  const written = [
    'proxy.example:8080',
    'http://Proxy.Example',
    'https://a:b@[2001:4860::1]',
    'socks5h://s.example',
    null,
    '',
  ]
  expect(proxyPlaces(written)).toEqual([
    ...['proxy.example:8080', 'proxy.example:80', '[2001:4860::1]:443', 's.example:1080'],
  ])
})

test('the places of Go are its proxies, its checksum database and the hosts of private modules', () => {
  const settings = {
    GOPROXY: 'https://goproxy.example,http://127.0.0.1:3000|direct',
    GOSUMDB: 'sum.example+a1b2 https://sums.example/x',
    GOPRIVATE: 'git.corp.example/team,*.internal.example',
  }
  expect(goPlaces(settings)).toEqual([
    ...['goproxy.example:443', '127.0.0.1:3000', 'sums.example:443', 'sum.example:443', 'git.corp.example:443'],
  ])
  expect(goPlaces({ GOPROXY: 'off', GOSUMDB: 'off' })).toEqual([])
})
