/**
 * Loaded before the program (`node --import`): it replaces one text of one source file while the file is read. The
 * replacement is in the URL that loads this file, so the program itself has no switch for it.
 */
import { registerHooks } from 'node:module'

const weaknesses: { url: string; find: string; replace: string }[] = JSON.parse(
  new URL(import.meta.url).searchParams.get('weaknesses') ?? '[]',
)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const here = weaknesses.filter((weakness) => weakness.url === url)
    if (here.length === 0) return loaded
    const source = here.reduce((text, { find, replace }) => text.replace(find, () => replace), textOf(loaded.source))
    return { ...loaded, source }
  },
})

function textOf(source: unknown): string {
  if (typeof source === 'string') return source
  if (source instanceof Uint8Array) return Buffer.from(source).toString('utf8')
  throw new Error('the source of a module is text')
}
