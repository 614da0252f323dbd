/** A page as plain Markdown: title and description on top, without front matter, imports and the marks of runnable blocks. */
export function plainMarkdown(page: { title: string; description: string }, source: string): string {
  const body = source
    .replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '')
    .replace(/^(?:import|export) .*\r?\n/gm, '')
    .replace(/^(\s*`{3,}[\w-]+) (?:run|output)\b.*$/gm, '$1')
    .replace(/^\s*<\/?(?:Tabs|TabItem|DocCardList)\b[^>]*>\s*$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return `# ${page.title}\n\n> ${page.description}\n\n${body}\n`
}
