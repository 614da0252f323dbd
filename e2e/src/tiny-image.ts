import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildImage } from '@toolhaven/testing/testbed/build-image'
import type { Engine } from '@toolhaven/testing/testbed/engine'

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
  await buildImage(engine.socketPath, TINY_IMAGE, async (folder) => {
    await writeFile(join(folder, 'server.sh'), SERVER)
    await writeFile(join(folder, 'Dockerfile'), DOCKERFILE)
  })
}
