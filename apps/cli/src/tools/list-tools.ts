import type { Context } from '../context.ts'
import { readToolLock } from './read-tool-lock.ts'

export async function listTools(context: Context, name: string, format: string): Promise<void> {
  const { out } = context
  const { lock } = await readToolLock(context, name)
  if (format === 'json') return out.json(lock)
  const { tools, prompts, resource_templates: templates, instructions } = lock
  const parts = { tool: tools, prompt: prompts, template: templates, instructions: instructions ? [instructions] : [] }
  out.table(
    [
      { title: 'KIND', value: ({ kind }) => kind },
      { title: 'NAME', value: (row) => row.name, shrinks: true },
      { title: 'STATE', value: ({ state }) => state },
      { title: 'SHA-256', value: ({ hash }) => hash.slice(0, 16) },
    ],
    Object.entries(parts).flatMap(([kind, rows]) => rows.map((row) => ({ kind, ...row }))),
  )
  const { since, mode, changes } = lock
  out.note(`First accepted ${since}; changes are ${mode === 'block' ? 'refused until accepted' : 'only told'}.`)
  if (changes.length > 0) out.note(`"thv tools diff ${name}" shows what changed.`)
}
