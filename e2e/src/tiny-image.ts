import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Engine } from '@toolhaven/testing/testbed/engine'
import { engineMust } from '@toolhaven/testing/testbed/engine-http'

export const TINY_IMAGE = 'docker.io/library/thv-mcp-tiny:1'

/** An MCP server of a few lines of shell: hundreds of them fit into a small machine. With --stubborn it ignores SIGTERM. */
const SERVER = `[ "$1" = --stubborn ] && trap '' TERM
while read -r line; do
  case "$line" in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}
  id=\${id%%[,\\}]*}
  case "$line" in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tiny","version":"1.0.0"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"tiny","inputSchema":{"type":"object"}}]}' ;;
    *) result='{}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done
`

const DOCKERFILE = `FROM docker.io/library/node:24-slim
COPY server.sh /
USER 65534:65534
ENTRYPOINT ["sh", "/server.sh"]
`

export async function buildTinyImage(engine: Engine): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'thv-e2e-image-'))
  try {
    await writeFile(join(folder, 'server.sh'), SERVER)
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
    await promisify(execFile)('tar', ['-C', folder, '-cf', join(folder, 'context.tar'), 'Dockerfile', 'server.sh'])
    const query = new URLSearchParams({ t: TINY_IMAGE, rm: 'true' })
    await engineMust(engine.socketPath, 'POST', `/build?${query}`, {
      bytes: await readFile(join(folder, 'context.tar')),
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
