import { describe, expect, it } from 'vitest'
import { toolhavenPaths, type PathSources } from './paths.ts'

const base: PathSources = { env: {}, homeDir: '/home/ann', platform: 'linux', tmpDir: '/tmp', uid: 1000 }

describe('toolhavenPaths', () => {
  it('follows the XDG variables for every path', () => {
    const env = {
      XDG_CONFIG_HOME: '/x/config',
      XDG_STATE_HOME: '/x/state',
      XDG_DATA_HOME: '/x/data',
      XDG_CACHE_HOME: '/x/cache',
      XDG_RUNTIME_DIR: '/x/run',
    }
    for (const platform of ['linux', 'darwin'] as const) {
      for (const path of Object.values(toolhavenPaths({ ...base, env, platform }))) expect(path).toMatch(/^\/x\//)
    }
  })

  it('uses the places of the XDG specification when no variable is set', () => {
    expect(toolhavenPaths(base)).toMatchObject({
      configFile: '/home/ann/.config/toolhaven/config.yaml',
      workloadsDir: '/home/ann/.local/state/toolhaven/workloads',
      dataDir: '/home/ann/.local/share/toolhaven',
      socketPath: '/home/ann/.local/state/toolhaven/run/thv.sock',
    })
  })

  it('uses Application Support on macOS', () => {
    expect(toolhavenPaths({ ...base, platform: 'darwin', homeDir: '/Users/ann' })).toMatchObject({
      configDir: '/Users/ann/Library/Application Support/toolhaven',
      stateDir: '/Users/ann/Library/Application Support/toolhaven',
    })
  })

  it('ignores a relative path and an empty text in a variable', () => {
    const env = { XDG_STATE_HOME: 'state', XDG_CONFIG_HOME: '', XDG_RUNTIME_DIR: './run' }
    expect(toolhavenPaths({ ...base, env })).toEqual(toolhavenPaths(base))
  })

  it('gives two state folders that share a runtime folder two sockets', () => {
    const socket = (state: string) =>
      toolhavenPaths({ ...base, env: { XDG_RUNTIME_DIR: '/run/user/1000', XDG_STATE_HOME: state } }).socketPath
    expect(socket('/a')).not.toBe(socket('/b'))
    expect(socket('/a')).toMatch(/^\/run\/user\/1000\/toolhaven\//)
  })

  it('falls back to a short folder when the socket path would be cut by the kernel', () => {
    const env = { XDG_RUNTIME_DIR: `/${'r'.repeat(90)}`, XDG_STATE_HOME: `/${'ü'.repeat(60)}` }
    const paths = toolhavenPaths({ ...base, env })
    expect(paths.runtimeDir).toBe('/tmp/toolhaven-1000')
    expect(Buffer.byteLength(paths.socketPath)).toBeLessThanOrEqual(107)
  })

  it('keeps a socket path of exactly the limit and leaves one of a byte more', () => {
    const runtimeDir = (length: number) => {
      const fixed = '/toolhaven/thv-00000000.sock'.length
      return toolhavenPaths({
        ...base,
        env: { XDG_STATE_HOME: '/s', XDG_RUNTIME_DIR: `/${'r'.repeat(length - fixed - 1)}` },
      })
    }
    expect(Buffer.byteLength(runtimeDir(107).socketPath)).toBe(107)
    expect(runtimeDir(108).runtimeDir).toBe('/s/toolhaven/run')
  })
})
