// The library others build HTTP gateways on, with nothing around it.
import { createRequire } from 'node:module'

const [folder, port, target] = process.argv.slice(2)
const { createProxyServer } = createRequire(`${folder}/`)('http-proxy-3')
const { Agent } = await import('node:http')
const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true }) })
proxy.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
