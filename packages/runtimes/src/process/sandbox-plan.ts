/** What one sandboxed process may see, in words that every kind of sandbox can be made from. */
export interface SandboxPlan {
  /** Absolute program, as seen inside. */
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** As seen inside. */
  workDir: string
  binds: readonly Bind[]
  /** `none`: a loopback of its own. `full`: the machine's network. Else a loopback that a forwarder leads out of and into. */
  network: 'none' | 'full' | ForwardedNetwork
}

export interface ForwardedNetwork {
  /** What makes the network and starts the sandbox in it: words before the sandbox's own. */
  forwarder: readonly [string, ...string[]]
  /** Whether names are answered in it. */
  hasNames: boolean
}

export interface Bind {
  hostPath: string
  sandboxPath: string
  readOnly: boolean
  /** What must be found there before the server runs; left out for what only Toolhaven can write. */
  identity?: string
}

/** Home and paths that every sandbox with a file system of its own shares. */
export const SANDBOX_HOME = '/home/user'
export const SANDBOX_PACKAGE = '/opt/package'
export const SANDBOX_NODE = '/opt/toolhaven/bin/node'
export const SANDBOX_UV = '/opt/toolhaven/bin/uv'
export const SANDBOX_PATH = '/opt/toolhaven/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Descriptors from 3 up to this one are the sandbox's own. */
export const LAST_DESCRIPTOR = 6

/** The user id inside; who it is outside is the daemon's user. */
export const SANDBOX_UID = 65534
