import { once } from 'node:events'
import { createServer } from 'node:https'

/** For tests only: signed by itself for localhost; its key is public by being here. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUX4Y8wAeG7XCrNuOuGM0KjeEj218wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTIwMTc0N1oYDzIxMjYxMDIy
MjAxNzQ3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATTvJ1QXAheYIY6Nfr+/ax+y1nOxys7V2+/klVJmdo2LQSeeSm+F79k
xIeyc8C1R1+CfjQZQL2l7XGOM1e4FtO+o2kwZzAdBgNVHQ4EFgQUVguaom4Im98U
Q/j7BqOzz3pOvtEwHwYDVR0jBBgwFoAUVguaom4Im98UQ/j7BqOzz3pOvtEwFAYD
VR0RBA0wC4IJbG9jYWxob3N0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
SQAwRgIhAMBlXDCGFaicz6TBBrtwjrUjxWPOpkIY49ZXSAmC6qMqAiEA3dNi5Ubj
yFy+UzOpQVTAxXKTLdLbZUd/jJDcJ1LSw08=
-----END CERTIFICATE-----
`
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc450sCogk7BQYIaQ
e9YfykCYKHpy019z/I2XEnI/00uhRANCAATTvJ1QXAheYIY6Nfr+/ax+y1nOxys7
V2+/klVJmdo2LQSeeSm+F79kxIeyc8C1R1+CfjQZQL2l7XGOM1e4FtO+
-----END PRIVATE KEY-----
`

/** An https server of this machine that answers every path with the same document. */
export async function serveSecurely(document: object, port: number): Promise<AsyncDisposable> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  })
  server.listen(port, 'localhost')
  await once(server, 'listening')
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
