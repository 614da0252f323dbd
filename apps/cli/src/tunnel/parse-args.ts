import type * as z from 'zod'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import { invalid } from '@toolhaven/core/errors'

/** Checks --provider-args for one provider. Errors leave out values, which may be tokens. */
export function parseArgs<Schema extends z.ZodType>(schema: Schema, args: unknown): z.infer<Schema> {
  const parsed = parseOutside(schema, args)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown ${issue.keys.join(', ')}`
      : `${issue.path.join('.')}: ${issue.message}`,
  )
  throw invalid(`--provider-args: ${faults.join('; ')}`)
}
