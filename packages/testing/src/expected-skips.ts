/**
 * Skips that a complete test machine (root, Debian packages, user namespaces) may have. With CI=true every other skip
 * fails the run, so that a suite cannot fall silent. A skip gives its reason with `context.skip(reason)`.
 */
export interface ExpectedSkip {
  /** Matched against `file > group > test`. */
  where: RegExp
  reason: RegExp
  /** Why nothing is lost. */
  because: string
}

export const EXPECTED_SKIPS: readonly ExpectedSkip[] = [
  {
    where: /process|podman/i,
    reason: /instances of this runtime end with the daemon/,
    because: 'sandboxed processes are children of the daemon, and Podman ends stdin with the connection; both say so',
  },
  {
    where: /process/i,
    reason: /this runtime has no engine that could be away/,
    because: 'the process runtime talks to no engine',
  },
  {
    where: /process|podman/i,
    reason: /the runtime says it cannot limit (memory|processes|the processor)/,
    because: 'rootless Podman on cgroup v1 and plain processes have no such limit; a test checks that they say so',
  },
  {
    where: /podman/i,
    reason: /the engine does not measure CPU and processes/,
    because: 'rootless Podman on cgroup v1 has no controllers; what it then says is tested with container-usage',
  },
  {
    where: /process/i,
    reason: /without an engine, the forwarder is tested on its own/,
    because: 'the capabilities of its processes are looked at in the tests of the forwarder',
  },
  {
    where: /(packages|real-servers)\.engine|install-go/,
    reason: /Go toolchain/,
    because: 'the Go base image and the Go index need the toolchain of the machine, which not every machine has',
  },
  {
    where: /forwarder|as a runtime/,
    reason: /no forwarder on this machine/,
    because: 'it needs a C compiler and leave to make user namespaces, which not every machine gives',
  },
]
