import type { ImageServer } from '@toolhaven/contract/registry-document'
import type { ServerPackage } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '../../errors.ts'
import { checkImageReference, digestOf } from '../../workloads/config/image-reference.ts'
import { parsePackageReference } from '../../workloads/config/package-reference.ts'
import { tagOf } from '../../upgrades/newer-tag.ts'
import { argumentsOf } from './arguments-of.ts'
import { namedInputOf } from './fill-in.ts'
import { localTransport } from './local-transport.ts'
import { variablesForRuntime } from './runtime-arguments.ts'

type PackagePart = Pick<ImageServer, 'image' | 'transport' | 'target_port' | 'args' | 'args_needed' | 'env_vars'>

/** Translates a package into a registry entry. Throws `invalid` with the reason why it cannot run here. */
export function packageEntry(found: ServerPackage): PackagePart {
  const image = imageOf(found)
  if (found.fileSha256)
    throw invalid(`it gives a hash for its file, which Toolhaven cannot check for ${found.registryType} packages`)
  const asked = [...(found.environmentVariables ?? []), ...variablesForRuntime(found)]
  const names = asked.map(({ name }) => name)
  const variables = asked.filter(({ name }, at) => names.indexOf(name) === at).map(namedInputOf)
  return {
    image,
    ...localTransport(found),
    ...argumentsOf(found.packageArguments ?? []),
    ...(variables.length > 0 && { env_vars: variables }),
  }
}

function imageOf(found: ServerPackage): string {
  switch (found.registryType) {
    case 'npm':
      return packageReference('npx', found)
    case 'pypi':
      return packageReference('uvx', found)
    case 'oci':
      return imageReference(found)
    default:
      throw invalid(`${excerpt(found.registryType)} packages are not supported`)
  }
}

/** The public index of each kind. */
const PUBLIC_INDEXES = { npx: /(?:^|\.)npmjs\.(?:org|com)$/, uvx: /(?:^|\.)pypi\.org$/ } as const

/** Packages come from the index that the user configured. Another index may have a different package of that name. */
function packageReference(
  scheme: 'npx' | 'uvx',
  { identifier, version, registryBaseUrl: base }: ServerPackage,
): string {
  const host = base ? (URL.parse(base)?.hostname ?? '') : undefined
  if (host !== undefined && !PUBLIC_INDEXES[scheme].test(host))
    throw invalid(
      `it is published at ${excerpt(base ?? '')}, but Toolhaven fetches packages only from the index that this machine uses`,
    )
  const reference = `${scheme}://${identifier}${version ? `@${version}` : ''}`
  parsePackageReference(reference)
  return reference
}

/** Older files name the registry and the tag separately from the image. */
function imageReference({ identifier, version, registryBaseUrl: base }: ServerPackage): string {
  const [first = '', ...path] = identifier.split('/')
  const hasHost = path.length > 0 && (/[.:]/.test(first) || first === 'localhost')
  const named = base && !hasHost ? `${URL.parse(base)?.host ?? ''}/${identifier}` : identifier
  const isWhole = tagOf(named) !== undefined || digestOf(named) !== undefined
  const reference = version && !isWhole ? `${named}:${version}` : named
  checkImageReference(reference)
  return reference
}
