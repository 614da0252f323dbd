import type * as z from 'zod'

/** The data of a stream of server-sent events that ends on its own, each held to its schema. */
export async function eventsOf<Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
): Promise<z.infer<Schema>[]> {
  const text = await response.text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => schema.parse(JSON.parse(data)))
}
