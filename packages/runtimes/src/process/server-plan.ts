import { mkdir, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { InstanceSpec } from '@toolhaven/core/ports/runtime'
import { proxyVariables } from '../isolation/ways.ts'
import { createLayout } from './layout.ts'
import type { Layout } from './layout.ts'
import { SANDBOX_HOME, SANDBOX_NODE, SANDBOX_PATH } from './sandbox-plan.ts'
import type { ForwardedNetwork, SandboxPlan } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'
import type { ServerContent } from './server-content.ts'

export interface ServerPlanParts {
  spec: InstanceSpec
  content: ServerContent
  sandbox: Sandbox
  nodePath: string
  /** Private folder for home and temporary files where the sandbox has none of its own. */
  privateDir: string
  /** Search path of the machine, for sandboxes that share its files. */
  machinePath: string | undefined
  /** Undefined: the network of the spec, unchanged. */
  forwarded?: ForwardedNetwork
}

/** The plan that a server is run with. */
export async function planServer(parts: ServerPlanParts): Promise<SandboxPlan> {
  const { spec, content, sandbox, nodePath, privateDir } = parts
  const layout = createLayout(sandbox)
  const started = content.place(layout, layout.place(nodePath, SANDBOX_NODE))
  await placeMounts(layout, spec, sandbox)
  if (!sandbox.isolatesFiles) {
    await mkdir(privateDir, { recursive: true, mode: 0o700 })
    layout.place(privateDir, privateDir, 'writable')
  }
  const home = sandbox.isolatesFiles ? SANDBOX_HOME : privateDir
  const searchPath = sandbox.isolatesFiles ? SANDBOX_PATH : (parts.machinePath ?? '/usr/bin:/bin')
  const env = {
    PATH: [...(started.programs ?? []), searchPath].join(':'),
    HOME: home,
    TMPDIR: sandbox.isolatesFiles ? '/tmp' : privateDir,
    USER: 'user',
    LOGNAME: 'user',
    LANG: 'C.UTF-8',
    ...started.env,
    ...spec.env,
    ...(typeof spec.network === 'object' && proxyVariables(spec.network)),
  }
  const network = parts.forwarded ?? (spec.network === 'host' ? 'full' : 'none')
  const [program, ...args] = started.command
  return { program, args: [...args, ...spec.args], env, workDir: started.workDir ?? home, binds: layout.binds, network }
}

async function placeMounts(layout: Layout, spec: InstanceSpec, sandbox: Sandbox): Promise<void> {
  for (const { hostPath, containerPath, readOnly, identity } of spec.mounts) {
    if (!sandbox.isolatesFiles && (hostPath !== containerPath || readOnly)) {
      throw invalid(`The mount ${hostPath} cannot be made with ${sandbox.kind} as the sandbox. Install bubblewrap.`)
    }
    const found = await stat(hostPath).catch(() => undefined)
    if (found === undefined)
      throw invalid(
        `The mount ${hostPath} does not exist or is not readable. Create it or change the permission profile.`,
      )
    layout.place(hostPath, resolve(containerPath), readOnly ? 'read-only' : 'writable', identity)
  }
}
