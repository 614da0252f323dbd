import * as z from 'zod'

/** The tool whose argument is repeated in a header, for programs that do not read bodies. */
export const REGION_TOOL = 'test_header_param'
export const REGION_HEADER = 'Region'

const call = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.literal(REGION_TOOL), arguments: z.looseObject({ region: z.string() }) }),
})

/** Says what is wrong when header and body differ. The SDK leaves that to the server. */
export function regionMismatch(request: Request, body: string): Response | undefined {
  const called = call.safeParse(parsed(body)).data
  if (called === undefined) return undefined
  const header = request.headers.get(`Mcp-Param-${REGION_HEADER}`)
  if (header !== null && decoded(header) === called.params.arguments.region) return undefined
  const error = { code: -32_020, message: `The header Mcp-Param-${REGION_HEADER} is not what the body says.` }
  return Response.json({ jsonrpc: '2.0', id: called.id, error }, { status: 400 })
}

/** Undefined: not to be read. */
function decoded(header: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(header)?.[1]
  if (encoded === undefined) return header
  const bytes = Buffer.from(encoded, 'base64')
  // Node skips invalid characters; encoded again, the text then differs.
  return bytes.toString('base64') === encoded ? bytes.toString() : undefined
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // The SDK reports what is wrong with it.
    return undefined
  }
}
