import { createServer } from 'node:http'

export interface PythonIndex extends AsyncDisposable {
  /** `http://HOST:PORT/simple/`, to be used as pip's `extra-index-url`. */
  url: string
}

/** A package index that has one file (https://packaging.python.org/en/latest/specifications/simple-repository-api/). */
export async function startPythonIndex(
  project: string,
  file: { name: string; content: Buffer },
  host: string,
): Promise<PythonIndex> {
  const server = createServer((request, response) => {
    if (request.url === `/simple/${project}/`)
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!DOCTYPE html><a href="/files/${file.name}">${file.name}</a>`)
    if (request.url === `/files/${file.name}`) return response.writeHead(200).end(file.content)
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    url: `http://${host}:${address.port}/simple/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
