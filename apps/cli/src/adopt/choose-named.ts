import { unknownName } from '../output/did-you-mean.ts'

/** Those of the given names, in their order; a name that nobody has is an error. */
export function chooseNamed<Named extends { name: string }>(all: readonly Named[], names: readonly string[]): Named[] {
  return [...new Set(names)].map((name) => {
    const found = all.find((each) => each.name === name)
    if (!found)
      throw unknownName(
        'server',
        name,
        all.map((each) => each.name),
      )
    return found
  })
}
