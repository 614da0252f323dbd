import type { CommandDef } from './command.ts'
import { adopt } from './commands/adopt.ts'
import { apply } from './commands/apply.ts'
import { build } from './commands/build.ts'
import { call } from './commands/call.ts'
import { clientListRegistered } from './commands/client/list-registered.ts'
import { clientRegister } from './commands/client/register.ts'
import { clientRemove } from './commands/client/remove.ts'
import { clientSetup } from './commands/client/setup.ts'
import { clientShow } from './commands/client/show.ts'
import { clientStatus } from './commands/client/status.ts'
import { completion } from './commands/completion.ts'
import { configGetCaCert } from './commands/config/get-ca-cert.ts'
import { configGetPort } from './commands/config/get-port.ts'
import { configGetRegistry } from './commands/config/get-registry.ts'
import { otelGetEndpoint } from './commands/config/otel/get-endpoint.ts'
import { otelGetEnvVars } from './commands/config/otel/get-env-vars.ts'
import { otelGetSamplingRate } from './commands/config/otel/get-sampling-rate.ts'
import { otelSetEndpoint } from './commands/config/otel/set-endpoint.ts'
import { otelSetEnvVars } from './commands/config/otel/set-env-vars.ts'
import { otelSetSamplingRate } from './commands/config/otel/set-sampling-rate.ts'
import { otelUnsetEndpoint } from './commands/config/otel/unset-endpoint.ts'
import { otelUnsetEnvVars } from './commands/config/otel/unset-env-vars.ts'
import { otelUnsetSamplingRate } from './commands/config/otel/unset-sampling-rate.ts'
import { configSetCaCert } from './commands/config/set-ca-cert.ts'
import { configSetPort } from './commands/config/set-port.ts'
import { configSetRegistry } from './commands/config/set-registry.ts'
import { configUnsetCaCert } from './commands/config/unset-ca-cert.ts'
import { configUnsetPort } from './commands/config/unset-port.ts'
import { configUnsetRegistry } from './commands/config/unset-registry.ts'
import { diff } from './commands/diff.ts'
import { doctor } from './commands/doctor.ts'
import { edit } from './commands/edit.ts'
import { exportCommand } from './commands/export.ts'
import { groupCreate } from './commands/group/create.ts'
import { groupList } from './commands/group/list.ts'
import { groupRm } from './commands/group/rm.ts'
import { inspect } from './commands/inspect.ts'
import { inspector } from './commands/inspector.ts'
import { learn } from './commands/learn.ts'
import { list } from './commands/list.ts'
import { logs } from './commands/logs.ts'
import { logsPrune } from './commands/logs/prune.ts'
import { mcpListPrompts } from './commands/mcp/list-prompts.ts'
import { mcpListResources } from './commands/mcp/list-resources.ts'
import { mcpListTools } from './commands/mcp/list-tools.ts'
import { mcpList } from './commands/mcp/list.ts'
import { mcpServe } from './commands/mcp/serve.ts'
import { move } from './commands/move.ts'
import { proxy } from './commands/proxy.ts'
import { proxyStdio } from './commands/proxy/stdio.ts'
import { proxyTunnel } from './commands/proxy/tunnel.ts'
import { registryInfo } from './commands/registry/info.ts'
import { registryList } from './commands/registry/list.ts'
import { restart } from './commands/restart.ts'
import { rm } from './commands/rm.ts'
import { run } from './commands/run.ts'
import { runtimeCheck } from './commands/runtime/check.ts'
import { search } from './commands/search.ts'
import { secretDelete } from './commands/secret/delete.ts'
import { secretGet } from './commands/secret/get.ts'
import { secretList } from './commands/secret/list.ts'
import { secretProvider } from './commands/secret/provider.ts'
import { secretResetKeyring } from './commands/secret/reset-keyring.ts'
import { secretSet } from './commands/secret/set.ts'
import { secretSetup } from './commands/secret/setup.ts'
import { serve } from './commands/serve.ts'
import { stats } from './commands/stats.ts'
import { stop } from './commands/stop.ts'
import { toolsAccept } from './commands/tools/accept.ts'
import { toolsDiff } from './commands/tools/diff.ts'
import { toolsList } from './commands/tools/list.ts'
import { ui } from './commands/ui.ts'
import { upgrade } from './commands/upgrade.ts'
import { version } from './commands/version.ts'

/** The whole command tree, listed by hand. Help, completion and the reference pages are built from it. */
export const COMMANDS: readonly CommandDef[] = [
  adopt,
  apply,
  build,
  call,
  clientListRegistered,
  clientRegister,
  clientRemove,
  clientSetup,
  clientShow,
  clientStatus,
  completion,
  configGetCaCert,
  configGetPort,
  configGetRegistry,
  configSetCaCert,
  configSetPort,
  configSetRegistry,
  configUnsetCaCert,
  configUnsetPort,
  configUnsetRegistry,
  diff,
  doctor,
  edit,
  exportCommand,
  groupCreate,
  groupList,
  groupRm,
  inspect,
  inspector,
  learn,
  list,
  logs,
  logsPrune,
  mcpList,
  mcpListPrompts,
  mcpListResources,
  mcpListTools,
  mcpServe,
  move,
  otelGetEndpoint,
  otelGetEnvVars,
  otelGetSamplingRate,
  otelSetEndpoint,
  otelSetEnvVars,
  otelSetSamplingRate,
  otelUnsetEndpoint,
  otelUnsetEnvVars,
  otelUnsetSamplingRate,
  proxy,
  proxyStdio,
  proxyTunnel,
  registryInfo,
  registryList,
  restart,
  rm,
  run,
  runtimeCheck,
  search,
  secretDelete,
  secretGet,
  secretList,
  secretProvider,
  secretResetKeyring,
  secretSet,
  secretSetup,
  serve,
  stats,
  stop,
  toolsAccept,
  toolsDiff,
  toolsList,
  ui,
  upgrade,
  version,
]

/** Summaries of words that only group other commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  client: 'Connect the programs that use your servers',
  config: 'Settings of the daemon',
  'config otel': 'Where telemetry goes, and how much of it',
  group: 'Group workloads',
  mcp: 'Speak the Model Context Protocol',
  registry: 'Find servers that you can run',
  runtime: 'Where workloads run',
  secret: 'Store passwords and tokens for workloads',
  tools: 'Notice when tools of workloads change',
}
