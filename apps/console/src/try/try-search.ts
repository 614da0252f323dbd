import * as z from 'zod'

const text = z.string().optional().catch(undefined)

/** What is tried. Its arguments lie in the history of the tab instead: they may be nothing for an address. */
export const TRY_SEARCH = z.object({ tool: text, resource: text, template: text, prompt: text, q: text })
export type TrySearch = z.infer<typeof TRY_SEARCH>
