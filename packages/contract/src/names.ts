import * as z from 'zod'
import { UNPRINTABLE } from './text.ts'

/** Grammar of workload names. It is checked before a name is used in a path, a label or a container name. */
export const workloadName = nameOf('letters').meta({ description: 'Name of the workload' })

/** Group names follow the workload rule, in lower case. */
export const groupName = nameOf('lower-case letters')
  .refine((name) => name === name.toLowerCase(), 'must be lower case')
  .meta({ description: 'Name of the group' })

function nameOf(letters: string) {
  const rule = `must be 1 to 100 ${letters}, digits, ".", "_" or "-", beginning with a letter or digit`
  return (
    z
      .string()
      // One fault is enough to correct the name.
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, { error: rule, abort: true })
      .refine((name) => !name.includes('..'), 'must not contain ".."')
  )
}

export const envVarName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'must be an environment variable name: letters, digits and "_", not beginning with a digit',
  )
  .refine((name) => name !== '__proto__', 'is not a usable variable name')
  .meta({ description: 'Name of the environment variable' })

/** A comma would end the name in `name,target=VAR`; control characters would forge log lines; a file cannot hold half of a pair. */
export const secretKey = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must be at most 256 characters')
  .regex(
    new RegExp(`^[^,${UNPRINTABLE}]*$`, 'u'),
    'must not contain a comma, control characters or half of a surrogate pair',
  )
  .meta({ description: 'Key of the secret' })

export const DEFAULT_GROUP = 'default'
