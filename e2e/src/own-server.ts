/** A server as a user might write it: `greet` returns what its package returns, the others try its folder. */
export const OWN_SERVER = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { greeting } from 'greeting'

const attempt = (work) => { try { return String(work()) } catch (error) { return error.code ?? error.message } }
const tools = {
  greet: ({ name }) => greeting + ' ' + name,
  where: () => process.cwd() + ' ' + process.argv.slice(2).join(' '),
  list: ({ path }) => attempt(() => readdirSync(path).join(' ')),
  read: ({ path }) => attempt(() => readFileSync(path, 'utf8')),
  write: ({ path, text }) => attempt(() => writeFileSync(path, text) ?? 'written'),
}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: given = {} }) => ({ content: [{ type: 'text', text: tools[name](given) }] }),
  ping: () => ({}),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: 'no ' + method } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...said }) + '\\n')
})
`

export const PYTHON_SERVER = `
import json, os, sys
import six

def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                      "serverInfo": {"name": "own", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "version", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": six.__version__ + " " + os.getcwd()}]}
        elif method == "ping":
            result = {}
        else:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))
`

/** Needs no package. */
export const ECHO_SERVER = `
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
  ping: () => ({}),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (answers[method]) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }) + '\\n')
})
`
