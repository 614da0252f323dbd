import { type Figure, lessIsBetter } from '../figure.ts'
import { type Comparison, OURS, type Value, judgedBars, oursIn, valueOf } from './comparison.ts'

/** Ours against each of the others. */
export function figuresOf(comparison: Comparison): Figure[] {
  const ours = oursIn(comparison)
  const bars = judgedBars(comparison)
  const others = Object.keys(comparison.results).filter((name) => name !== OURS)
  const measured = others.flatMap((name) => {
    const theirs = valueOf(comparison, name)
    return theirs === undefined ? [] : [{ name, theirs }]
  })
  return measured.map(({ name, theirs }, at) => {
    const bar = bars.find(({ program }) => program === name)
    return lessIsBetter({
      name: `${at === 0 ? `${comparison.name}, against` : '  and'} ${name}`,
      unit: 'ms',
      ours: ours.value,
      baseline: theirs.value,
      ...spreadOf(ours, theirs),
      ...(bar && { target: { of: 'ratio', below: bar.below } }),
    })
  })
}

function spreadOf(ours: Value, theirs: Value): Pick<Figure, 'spread' | 'perSecond'> {
  const range = ({ value, low = value, high = value }: Value) => [low, high] as const
  return {
    ...(ours.low !== undefined && { spread: { ours: range(ours), baseline: range(theirs) } }),
    ...(ours.perSecond !== undefined &&
      theirs.perSecond !== undefined && { perSecond: { ours: ours.perSecond, baseline: theirs.perSecond } }),
  }
}
