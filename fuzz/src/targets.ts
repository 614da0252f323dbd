import type { Target } from './target.ts'
import { api } from './targets/api.ts'
import { clientFiles } from './targets/client-files.ts'
import { framing } from './targets/framing.ts'
import { httpClient } from './targets/http-client.ts'
import { httpReader } from './targets/http-reader.ts'
import { manifest } from './targets/manifest.ts'
import { registry } from './targets/registry.ts'
import { importedConfig } from './targets/run-config.ts'
import { serverJson } from './targets/server-json.ts'

export const TARGETS: readonly Target[] = [
  ...[api, httpReader, httpClient, framing],
  ...[registry, serverJson, importedConfig, manifest, clientFiles],
]
