/** What one sandboxed process may see, in terms that every kind of sandbox can be made from. */
export interface SandboxPlan {
  /** Absolute program, as seen inside. */
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** As seen inside. */
  workDir: string
  binds: readonly Bind[]
  /**
   * `none`: a loopback of its own. `full`: the machine's network. Otherwise a loopback with a forwarder as the way in
   * and out.
   */
  network: 'none' | 'full' | ForwardedNetwork
}

export interface ForwardedNetwork {
  /** The command that creates the network and starts the sandbox in it, placed before the sandbox's own. */
  forwarder: readonly [string, ...string[]]
  /** Whether it resolves names. */
  hasNames: boolean
}

export interface Bind {
  hostPath: string
  sandboxPath: string
  readOnly: boolean
  /** What must be found there before the server runs. Undefined for what only Toolhaven can write. */
  identity?: string
}

/** Home and paths that every sandbox with its own file system shares. */
export const SANDBOX_HOME = '/home/user'
export const SANDBOX_PACKAGE = '/opt/package'
export const SANDBOX_NODE = '/opt/toolhaven/bin/node'
export const SANDBOX_UV = '/opt/toolhaven/bin/uv'
export const SANDBOX_PATH = '/opt/toolhaven/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Descriptors from 3 up to this one belong to the sandbox. */
export const LAST_DESCRIPTOR = 6

/** The user id inside. Outside it is the daemon's user. */
export const SANDBOX_UID = 65534
