import { compareVersions } from './compare-versions.ts'

/** The tag that a reference to an image names. */
export function tagOf(reference: string): string | undefined {
  const name = reference.slice(reference.lastIndexOf('/') + 1).replace(/@.*$/, '')
  return /:(.+)$/.exec(name)?.[1]
}

/** Without a tag and a digest. */
export function repositoryOf(reference: string): string {
  const slash = reference.lastIndexOf('/') + 1
  return `${reference.slice(0, slash)}${reference.slice(slash).replace(/[:@].*$/, '')}`
}

/** The same image under another tag. */
export const withTag = (reference: string, tag: string) => `${repositoryOf(reference)}:${tag}`

interface TagShape {
  /** The shape that two tags must share for one to be a newer version of the other. */
  shape: string
  /** The version in npm's notation. */
  version: string
  /** What follows the version, such as -alpine3.20. */
  variant: string
  isPreRelease: boolean
}

/**
 * A lone number is a version or a date; otherwise, seven or more digits are probably a commit. Anyone who can push to a registry
 * writes tags, so no digit may match in two ways: 30 of them would block the daemon for a minute.
 */
const TAG =
  /^(v?)((?:\d{1,6}|\d{8})|\d+(?:\.\d+){1,3})(?:-((?:alpha|beta|rc|pre|preview|dev|next)\d*(?:[.-]\d+)*))?(-.+)?$/

function shapeOf(tag: string): TagShape | undefined {
  const [, prefix = '', numbers = '', stage, variant = ''] = TAG.exec(tag) ?? []
  if (numbers === '') return undefined
  const parts = numbers.split('.')
  const stages = stage?.split(/[.-]|(?<=[a-z])(?=\d)/).join('.')
  return {
    shape: `${prefix} ${parts.length} ${variant}`,
    version: `${numbers}${stages === undefined ? '' : `-${stages}`}`,
    variant,
    isPreRelease: stage !== undefined,
  }
}

export const isVersionTag = (tag: string) => shapeOf(tag) !== undefined

/** The newest of the tags that have the same shape, such as 1.3.0-alpine for 1.2.9-alpine. Undefined if none is newer. */
export function newerTag(tag: string, tags: readonly string[]): string | undefined {
  const own = shapeOf(tag)
  if (!own) return undefined
  let best: { tag: string; version: string } | undefined
  for (const candidate of tags) {
    const other = shapeOf(candidate)
    if (other?.shape !== own.shape || (other.isPreRelease && !own.isPreRelease)) continue
    if (compareVersions('npx', other.version, best?.version ?? own.version) > 0)
      best = { tag: candidate, version: other.version }
  }
  return best?.tag
}

/** Whether the first tag has a newer version than the second, on any base. Undefined if one of them is not a version. */
export function isNewerTag(tag: string, than: string): boolean | undefined {
  const [next, now] = [shapeOf(tag), shapeOf(than)]
  if (!next || !now) return undefined
  const order = compareVersions('npx', withAllNumbers(next.version), withAllNumbers(now.version))
  return order > 0 || (order === 0 && isNewerBuild(next.variant, now.variant))
}

/** So that 2.0 and 2.0.0 are the same. */
function withAllNumbers(version: string): string {
  const [numbers = '', ...stages] = version.split('-')
  return [numbers.split('.').concat('0', '0', '0').slice(0, MOST_NUMBERS).join('.'), ...stages].join('-')
}

const MOST_NUMBERS = 4

/** A rebuild of the same version: -alpine3.20 after -alpine3.19, or -2 after -1. Neither of -alpine and -slim is newer. */
function isNewerBuild(variant: string, than: string): boolean {
  if (variant.replaceAll(/\d+/g, '0') !== than.replaceAll(/\d+/g, '0')) return false
  const numbersOf = (text: string) => `0.0.0-${(text.match(/\d+/g) ?? []).join('.')}`
  return variant !== than && compareVersions('npx', numbersOf(variant), numbersOf(than)) > 0
}
