import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The one version that every module has. */
export const GO_VERSION = 'v1.0.0'

export interface GoProxy extends AsyncDisposable {
  /** `http://HOST:PORT`, to be used in `GOPROXY`. */
  url: string
  /** Adds a module with the files of its folder by their names, `go.mod` among them. */
  add: (module: string, files: Readonly<Record<string, string>>) => Promise<void>
}

/** A proxy for Go modules (https://go.dev/ref/mod#goproxy-protocol). It contains only what is added to it. */
export async function startGoProxy(host: string): Promise<GoProxy> {
  const answers = new Map<string, string | Buffer>()
  const server = createServer(({ url = '' }, response) => {
    const answer = answers.get(url)
    return answer === undefined ? response.writeHead(404).end() : response.writeHead(200).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    url: `http://${host}:${address.port}`,
    async add(module, files) {
      const at = `/${module}/@v`
      answers.set(`${at}/list`, `${GO_VERSION}\n`)
      answers.set(`${at}/${GO_VERSION}.info`, JSON.stringify({ Version: GO_VERSION, Time: '2026-01-15T00:00:00Z' }))
      answers.set(`${at}/${GO_VERSION}.mod`, files['go.mod'] ?? '')
      answers.set(`${at}/${GO_VERSION}.zip`, await zipped(module, files))
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Go accepts no entries for folders, which most programs add to an archive. */
const ZIP = `import io, json, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    for name, text in json.load(sys.stdin).items():
        archive.writestr(name, text)
sys.stdout.buffer.write(out.getvalue())`

async function zipped(module: string, files: Readonly<Record<string, string>>): Promise<Buffer> {
  const named = Object.entries(files).map(([name, text]) => [`${module}@${GO_VERSION}/${name}`, text])
  const child = spawn('python3', ['-c', ZIP], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(Object.fromEntries(named)))
  return buffer(child.stdout)
}
