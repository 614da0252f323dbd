import { invalid } from '../../errors.ts'
import type { PackageScheme } from '../../ports/runtime.ts'

export interface PackageReference {
  scheme: PackageScheme
  name: string
  /** Exact. Undefined if the reference has none, or `latest`. */
  version?: string
}

/**
 * Reads `npx://NAME[@VERSION]`, `uvx://NAME[@VERSION]` and `go://PATH[@VERSION]`. Undefined if the text has none of these schemes
 * (an image reference, a URL). Throws `invalid` if it has one and the rest is malformed. The result is safe as one argument of npm,
 * uv and go: it never begins with a dash and contains no space, quote, path step or second package.
 */
export function parsePackageReference(text: string): PackageReference | undefined {
  const scheme = SCHEMES.find((candidate) => text.startsWith(`${candidate}://`))
  if (scheme === undefined) return undefined
  const rest = text.slice(scheme.length + '://'.length)
  // A leading @ belongs to an npm scope, so the search for the version's @ begins after the first character.
  const at = rest.indexOf('@', 1)
  const name = at === -1 ? rest : rest.slice(0, at)
  const version = at === -1 ? undefined : rest.slice(at + 1)
  checkPackageName(scheme, name)
  if (version === undefined || version === 'latest') return { scheme, name }
  checkPackageVersion(scheme, name, version)
  return { scheme, name, version }
}

/** Throws `invalid` unless the name follows the grammar of its index. */
export function checkPackageName(scheme: PackageScheme, name: string): void {
  const { names, what, nameExample } = GRAMMARS[scheme]
  if (name.length <= MAX_NAME_LENGTH && names.test(name)) return
  throw invalid(`${quote(name)} is not the name of ${what}; write it like ${scheme}://${nameExample}.`)
}

/** Throws `invalid` unless the version is one exact version: no range, no tag, no URL. */
export function checkPackageVersion(scheme: PackageScheme, name: string, version: string): void {
  const { versions, versionExample } = GRAMMARS[scheme]
  if (version.length <= MAX_VERSION_LENGTH && versions.test(version)) return
  throw invalid(
    `${quote(version)} is not an exact version of ${name}; write one like ${versionExample}, or omit it for the newest.`,
  )
}

const SCHEMES = ['npx', 'uvx', 'go'] as const satisfies readonly PackageScheme[]

/** npm's own limit; no known PyPI name or Go path comes near it. */
const MAX_NAME_LENGTH = 214
const MAX_VERSION_LENGTH = 128

interface Grammar {
  what: string
  names: RegExp
  nameExample: string
  versions: RegExp
  versionExample: string
}

const GRAMMARS: Record<PackageScheme, Grammar> = {
  npx: {
    what: 'an npm package',
    names: /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/,
    nameExample: '@scope/name@1.2.3',
    // https://semver.org, without its rule against leading zeros in pre-release numbers.
    versions:
      /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/,
    versionExample: '1.2.3',
  },
  uvx: {
    what: 'a Python package (extras are not supported)',
    names: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    nameExample: 'name@1.2.3',
    // PEP 440 in its normal form.
    versions: /^(?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9]+(?:\.[a-z0-9]+)*)?$/,
    versionExample: '1.2.3',
  },
  go: {
    what: 'a Go package',
    // A host name with a dot, then at least one more element; no element begins or ends with a dot, or begins with a dash.
    names:
      /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?:\/[A-Za-z0-9_~](?:[A-Za-z0-9._~-]*[A-Za-z0-9_~-])?)+$/,
    nameExample: 'example.com/owner/name/cmd/server@v1.2.3',
    versions:
      /^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+incompatible)?$/,
    versionExample: 'v1.2.3',
  },
}

/** JSON quoting keeps control characters of a hostile name out of terminals and logs. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
