import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import type { Json } from './target.ts'

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

type Edit = (text: string) => string

const at = (text: string, share: number) => Math.floor(share * (text.length + 1))

/** Inserts, removes, repeats or moves something. */
const edit = (words: readonly string[]): fc.Arbitrary<Edit> =>
  fc.oneof(
    fc.tuple(place, fc.oneof(fc.constantFrom(...words), anyText({ maxLength: 3 }))).map(
      ([where, word]): Edit =>
        (text) =>
          text.slice(0, at(text, where)) + word + text.slice(at(text, where)),
    ),
    fc.tuple(place, fc.nat({ max: 20 })).map(
      ([where, length]): Edit =>
        (text) =>
          text.slice(0, at(text, where)) + text.slice(at(text, where) + length),
    ),
    fc.tuple(place, place, fc.nat({ max: 60 })).map(
      ([from, to, length]): Edit =>
        (text) =>
          text.slice(0, at(text, to)) + text.slice(at(text, from), at(text, from) + length) + text.slice(at(text, to)),
    ),
  )

/** Valid texts with a few changes. `words` are those that mean something to the reader. */
export function changedText(
  good: readonly string[],
  words: readonly string[],
  seeds: readonly Json[],
): fc.Arbitrary<string> {
  const texts = [...good, ...seeds.filter((seed) => typeof seed === 'string')]
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(edit(words), { maxLength: 4 }))
    .map(([text, edits]) => edits.reduce((changed, each) => each(changed), text))
}

/** A message without the parts that differ from input to input, so that faults of one kind count as one. */
export function kindOf(message: string): string {
  return message
    .split('\n')
    .slice(0, 2)
    .join(' ')
    .replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '"…"')
    .replaceAll(/[\d.]+/g, '#')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 80)
}
