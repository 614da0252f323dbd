import { expect, test } from 'vitest'
import { keptVariables } from './kept-variables.ts'

test('a service is given folders, engine, proxies and package indexes, and no secret', () => {
  const { env, leftOut } = keptVariables({
    ...{
      PATH: '/bin',
      XDG_STATE_HOME: '/s',
      XDG_RUNTIME_DIR: '/run/user/1',
      DOCKER_HOST: 'unix:///d.sock',
      HOME: '/h',
    },
    ...{ npm_config_registry: 'http://127.0.0.1:1/', npm_config_user_agent: 'npm', npm_config__auth: 'c2VjcmV0' },
    ...{ no_proxy: 'localhost', HTTPS_PROXY: 'http://me:password@proxy:3128', HTTP_PROXY: 'http://proxy:3128' },
    ...{
      THV_API_TOKEN: 'a-long-token',
      TOOLHAVEN_SECRET_SEARCH: 'key',
      THV_RUNTIME: 'process',
      THV_HOST: '',
      EDITOR: 'vi',
    },
  })
  expect(env).toEqual({
    DOCKER_HOST: 'unix:///d.sock',
    HTTP_PROXY: 'http://proxy:3128',
    PATH: '/bin',
    THV_RUNTIME: 'process',
    XDG_STATE_HOME: '/s',
    no_proxy: 'localhost',
    npm_config_registry: 'http://127.0.0.1:1/',
  })
  expect(leftOut).toEqual(['THV_API_TOKEN', 'TOOLHAVEN_SECRET_SEARCH', 'HTTPS_PROXY'])
})
