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
  /** What two tags share if one can stand for a newer version of the other. */
  shape: string
  /** As npm would write it. */
  version: string
  /** What follows the version, such as -alpine3.20. */
  variant: string
  isPreRelease: boolean
}

/**
 * A lone number is a version or a date; seven or more digits else are rather a commit. Whoever pushes to a registry writes tags, so
 * no digit may match in two ways: 30 of them would stop the daemon for a minute.
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

/** The newest of the tags that have the shape of this one, as 1.3.0-alpine has that of 1.2.9-alpine; undefined: none is newer. */
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

/**
 * Whether the first stands for a newer version than the second, on whatever base. Undefined when that cannot be told, because one of
 * them is no version.
 */
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

/** The same version once more: -alpine3.20 after -alpine3.19, or -2 after -1. Of -alpine and -slim neither is newer. */
function isNewerBuild(variant: string, than: string): boolean {
  if (variant.replaceAll(/\d+/g, '0') !== than.replaceAll(/\d+/g, '0')) return false
  const numbersOf = (text: string) => `0.0.0-${(text.match(/\d+/g) ?? []).join('.')}`
  return variant !== than && compareVersions('npx', numbersOf(variant), numbersOf(than)) > 0
}
