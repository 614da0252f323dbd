import { invalid } from '@toolhaven/core/errors'

export interface ImageReference {
  /** Host and port of the registry, `docker.io` when none was written. */
  registry: string
  repository: string
  /** `latest` when neither tag nor digest was written. */
  tag?: string
  digest?: string
}

const HUB = 'docker.io'
const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`)
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?$/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const DIGEST = /^sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$/

/** Parses `[HOST[:PORT]/]PATH[:TAG][@DIGEST]` with Docker's rules for what may be left out. */
export function parseImageReference(text: string): ImageReference {
  const [beforeDigest = '', digest, ...more] = text.split('@')
  const slash = beforeDigest.indexOf('/')
  const first = slash === -1 ? '' : beforeDigest.slice(0, slash)
  const hasHost = first.includes('.') || first.includes(':') || first === 'localhost'
  const rest = hasHost ? beforeDigest.slice(slash + 1) : beforeDigest
  const colon = rest.indexOf(':')
  const path = colon === -1 ? rest : rest.slice(0, colon)
  const tag = colon === -1 ? undefined : rest.slice(colon + 1)
  const registry = hasHost ? first.replace(/^(?:index|registry-1)\.docker\.io$/, HUB) : HUB
  const repository = registry === HUB && !path.includes('/') ? `library/${path}` : path
  const sound =
    more.length === 0 &&
    repository.length <= 255 &&
    REPOSITORY.test(repository) &&
    HOST.test(registry) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest))
  if (!sound) throw invalid(`${JSON.stringify(text)} is not an image reference. Write it like ghcr.io/owner/image:1.0.`)
  if (digest !== undefined) return { registry, repository, ...(tag === undefined ? {} : { tag }), digest }
  return { registry, repository, tag: tag ?? 'latest' }
}

/** The full reference: both engines read it in the same way, whatever their rules for short names. */
export function fullReference(reference: ImageReference): string {
  const { registry, repository, tag, digest } = reference
  return `${registry}/${repository}${digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`}`
}
