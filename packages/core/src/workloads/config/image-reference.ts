import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '../../errors.ts'

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?`
const PATH = String.raw`[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${PATH}(?:/${PATH})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
)

/** Refuses references that no registry could hold, and texts that could be read as an option or a path. */
export function checkImageReference(text: string): void {
  if (text.length > 512 || !REFERENCE.test(text)) {
    throw invalid(
      `image "${excerpt(text)}" is neither a server of the registry nor a valid image reference; ` +
        'use a registry name, "npx://package", "uvx://package", "go://module" or "host/name:tag"',
    )
  }
}

/** The digest that a reference names, if it names one. */
export function digestOf(reference: string): string | undefined {
  return /@(sha256:[a-f0-9]{64})$/.exec(reference)?.[1]
}

/** The same repository, but with exactly this image. */
export function atDigest(reference: string, digest: string): string {
  const [named = ''] = reference.split('@')
  return `${named.replace(/:[^/:]+$/, '')}@${digest}`
}
