import { createServer } from 'node:http'

export interface PythonIndex extends AsyncDisposable {
  /** `http://HOST:PORT/simple/`, for pip's `extra-index-url`. */
  url: string
  port: number
  /** Files by the projects they belong to. May change. */
  files: Map<string, { name: string; content: Buffer }>
  /** Paths that were requested so far. */
  requests: string[]
}

/** A package index with a file for each project (https://packaging.python.org/en/latest/specifications/simple-repository-api/). */
export async function startPythonIndex(host: string): Promise<PythonIndex> {
  const files: PythonIndex['files'] = new Map()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const { url = '' } = request
    requests.push(url)
    const listed = files.get(/^\/simple\/([^/]+)\/$/.exec(url)?.[1] ?? '')
    if (listed)
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!DOCTYPE html><a href="/files/${listed.name}">${listed.name}</a>`)
    const file = [...files.values()].find(({ name }) => url === `/files/${name}`)
    return file ? response.writeHead(200).end(file.content) : response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    url: `http://${host}:${address.port}/simple/`,
    port: address.port,
    files,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
