import type { RouteDef } from './route.ts'

/** One tab of an operation's samples, in the format that viewers of OpenAPI documents read. */
export interface CodeSample {
  /** The highlighter of the API viewer fails on a name that it does not know, such as `shell` or `typescript`. */
  lang: 'bash' | 'javascript'
  label: string
  source: string
}

const DAEMON = 'http://localhost:8080'
const SOCKET = '$XDG_RUNTIME_DIR/toolhaven/thv.sock'

/** Values for `{parameters}` in samples, by the tag of the route. */
const PARAMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  workloads: { name: 'everything' },
  groups: { name: 'research' },
  clients: { name: 'cursor', group: 'default' },
  discovery: { name: 'cursor' },
  registry: { name: 'default', serverName: 'everything' },
  secrets: { key: 'github-token' },
}

const QUERIES: Readonly<Record<string, string>> = {
  listWorkloads: '?all=true',
  followSeveralLogs: '?workloads=everything',
  getBuildRecipe: '?package=npx://@modelcontextprotocol/server-everything',
}

/** The same call for a terminal and for a program. Tests send both. */
export function codeSamples(id: string, route: RouteDef): CodeSample[] {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (mark, name: string) => PARAMS[route.tag]?.[name] ?? mark)
  const address = path + (QUERIES[id] ?? '')
  return [
    { lang: 'bash', label: 'curl', source: curl(address, route) },
    {
      lang: 'javascript',
      label: 'TypeScript',
      source: route.socketOnly ? overSocket(address) : overHttp(address, route),
    },
  ]
}

function curl(address: string, route: RouteDef): string {
  const { method, bodyExample, socketOnly } = route
  const url = socketOnly ? `http://localhost${address}` : `${DAEMON}${address}`
  const options = [
    ...(method === (bodyExample === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]),
    ...(isStream(route) ? ['-N'] : []),
    ...(socketOnly ? [`--unix-socket "${SOCKET}"`] : []),
  ]
  const first = ['curl', ...options, /[?&]/.test(url) ? `'${url}'` : url].join(' ')
  if (bodyExample === undefined) return first
  const body = JSON.stringify(bodyExample).replaceAll("'", `'\\''`)
  return `${first} \\\n  -H 'content-type: application/json' \\\n  -d '${body}'`
}

function overHttp(address: string, route: RouteDef): string {
  const { method, bodyExample } = route
  const fields = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(bodyExample === undefined
      ? []
      : [
          `  headers: { 'content-type': 'application/json' },`,
          `  body: JSON.stringify(${JSON.stringify(bodyExample, null, 2).replaceAll('\n', '\n  ')}),`,
        ]),
  ]
  const options = fields.length === 0 ? '' : `, {\n${fields.join('\n')}\n}`
  return [
    `const response = await fetch('${DAEMON}${address}'${options})`,
    'if (!response.ok) throw new Error(await response.text())',
    ...reading(route),
  ].join('\n')
}

function reading(route: RouteDef): string[] {
  if (isStream(route)) {
    return [
      'const decoder = new TextDecoder()',
      'for await (const chunk of response.body) console.log(decoder.decode(chunk, { stream: true }))',
    ]
  }
  const answer = Object.values(route.success)[0]
  if (answer?.schema === undefined) return []
  return [`console.log(await response.${answer.contentType === undefined ? 'json' : 'text'}())`]
}

/** `fetch` cannot be told to use a socket. */
function overSocket(address: string): string {
  return [
    "import { request } from 'node:http'",
    "import { text } from 'node:stream/consumers'",
    '',
    `const socketPath = \`${SOCKET.replace('$XDG_RUNTIME_DIR', '${process.env.XDG_RUNTIME_DIR}')}\``,
    `request({ socketPath, path: '${address}' }, async (response) => console.log(await text(response))).end()`,
  ].join('\n')
}

function isStream({ success }: RouteDef): boolean {
  return Object.values(success).some(({ contentType }) => contentType === 'text/event-stream')
}
