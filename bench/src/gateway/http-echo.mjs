#!/usr/bin/env node
// An MCP server that speaks streamable HTTP itself, with as little code as possible.
import { createServer } from 'node:http'

const RESULTS = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'http-echo', version: '1.0.0' },
  },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  ping: {},
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return response.writeHead(202).end()
    const result =
      method === 'tools/call' ? { content: [{ type: 'text', text: params.arguments.text }] } : RESULTS[method]
    const error = { code: -32601, message: 'Method not found' }
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(method === 'initialize' && { 'mcp-session-id': `session-${id}` }),
    })
    response.end(text)
  })
})
server.listen(Number(process.env.MCP_PORT ?? process.argv[2] ?? 8080), process.argv[3] ?? '0.0.0.0')
process.once('SIGTERM', () => process.exit(0))
