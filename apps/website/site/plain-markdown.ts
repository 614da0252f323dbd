const FENCE = /^(\s*)(`{3,}|~{3,})/

/** A page as plain Markdown: title and description on top, without front matter, imports, names of headings and the marks of runnable blocks. */
export function plainMarkdown(page: { title: string; description: string }, source: string): string {
  const lines = source.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '').split(/\r?\n/)
  const body: string[] = []
  let fence: string | undefined
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[2]
    if (fence === undefined && mark !== undefined) {
      fence = mark
      body.push(line.replace(/^(\s*(?:`{3,}|~{3,})[\w-]+) .*$/, '$1'))
    } else {
      if (mark !== undefined && fence !== undefined && line.trim() === fence) fence = undefined
      if (fence !== undefined) body.push(line)
      else if (!isMarkup(line)) body.push(line.replace(/^(#+ .*?)\s*\{#[^}]+\}$/, '$1'))
    }
  }
  const text = body
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return `# ${page.title}\n\n> ${page.description}\n\n${text}\n`
}

/** Lines that mean something to the site's renderer only. */
function isMarkup(line: string): boolean {
  return (
    /^(?:import|export) /.test(line) ||
    /^\s*<\/?(?:Screenshot|Tabs|TabItem|DocCardList|ApiReference|div|head|meta)\b[^>]*>\s*$/.test(line)
  )
}
