/** The same answer, whose body ends early when the signal aborts. */
export function endWith(signal: AbortSignal, response: Response): Response {
  if (!response.body) return response
  return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response)
}
