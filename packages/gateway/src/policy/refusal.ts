/** A JSON-RPC error in place of an answer of the server. */
export interface Refusal {
  code: number
  message: string
}
