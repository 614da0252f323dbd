import { quoted } from '../parts/quoted.ts'
import type { Connection } from './use-connect.ts'

/** The equivalent commands of the button. */
export function connectCommands({ name, joins = [], leaves = [] }: Connection): string[] {
  const flags = (groups: readonly string[]) => groups.map((group) => ` --group ${quoted(group)}`).join('')
  return [
    ...(leaves.length > 0 ? [`thv client remove ${name}${flags(leaves)}`] : []),
    ...(joins.length > 0 ? [`thv client register ${name}${flags(joins)}`] : []),
  ]
}
