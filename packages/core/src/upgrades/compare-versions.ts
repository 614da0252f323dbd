import type { PackageScheme } from '../ports/runtime.ts'

/** Negative if the first is older, positive if it is newer. Both follow the grammar of the scheme's index. */
export function compareVersions(scheme: PackageScheme, a: string, b: string): number {
  const parse = scheme === 'uvx' ? pythonKey : semanticKey
  return compareKeys(parse(a), parse(b))
}

/** Includes Go's versions of untagged commits. */
export function isPreRelease(scheme: PackageScheme, version: string): boolean {
  if (scheme === 'uvx') return /(?:a|b|rc)\d|\.dev\d/.test(version.replace(/\+.*$/, ''))
  return version.replace(/\+.*$/, '').includes('-')
}

/**
 * Numbers are kept as digits, because they may be too long for an exact number. A key is less than a longer key that begins with
 * it.
 */
type Part = { rank: number; digits?: string; text?: string }

function compareKeys(a: readonly Part[], b: readonly Part[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at]
    if (right === undefined) return 1
    const order = left.rank - right.rank || compareDigits(left.digits, right.digits) || compareTexts(left, right)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareDigits(a = '', b = ''): number {
  const [left, right] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')]
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}

const compareTexts = ({ text: a = '' }: Part, { text: b = '' }: Part) => (a < b ? -1 : a > b ? 1 : 0)

const number = (digits: string, rank = 1): Part => ({ rank, digits })

/** https://semver.org: a pre-release is older than its release, numbers are older than words. */
function semanticKey(version: string): Part[] {
  const [withoutBuild = ''] = version.replace(/^v/, '').split('+')
  const dash = withoutBuild.indexOf('-')
  const numbers = dash === -1 ? withoutBuild : withoutBuild.slice(0, dash)
  const core = numbers.split('.').map((digits) => number(digits))
  if (dash === -1) return [...core, { rank: 1 }]
  const words = withoutBuild.slice(dash + 1).split('.')
  return [...core, { rank: 0 }, ...words.map((word) => (/^\d+$/.test(word) ? number(word) : { rank: 2, text: word }))]
}

const PYTHON = /^(?:(\d+)!)?(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.post(\d+))?(?:\.dev(\d+))?(?:\+(.*))?$/
const STAGES = ['a', 'b', 'rc']
const MOST_NUMBERS = 8

/** https://peps.python.org/pep-0440: development, pre-release, release, post-release; 1.0 is 1.0.0. */
function pythonKey(version: string): Part[] {
  const [, epoch = '0', release = '', stage, stageNumber = '', post, dev, local] = PYTHON.exec(version) ?? []
  const numbers = release.split('.')
  const padded = Array.from({ length: Math.max(MOST_NUMBERS, numbers.length) }, (_, at) => number(numbers[at] ?? '0'))
  const isDevOfRelease = stage === undefined && post === undefined && dev !== undefined
  return [
    number(epoch),
    ...padded,
    stage !== undefined
      ? number(stageNumber, 1 + STAGES.indexOf(stage))
      : { rank: isDevOfRelease ? 0 : 1 + STAGES.length },
    post === undefined ? { rank: 0 } : number(post),
    dev === undefined ? { rank: 2 } : number(dev),
    local === undefined ? { rank: 0 } : { rank: 1, text: local },
  ]
}
