/** Paths in a Git configuration file that Git runs or reads: hook folders and other configuration files. */
export interface NamedByConfig {
  hooks: string[]
  includes: string[]
}

/** Reads the file as Git does. Accepts faults that make Git refuse the file, because Git runs nothing from such a file. */
export function parseGitConfig(text: string): NamedByConfig {
  const named: NamedByConfig = { hooks: [], includes: [] }
  let section = ''
  // A line that ends with a backslash continues on the next line.
  for (const line of text.replaceAll(/\\\r?\n/g, '').split('\n')) {
    const header = /^\s*\[\s*([\w.-]+)[^\]]*\]/.exec(line)
    if (header) section = header[1]?.toLowerCase() ?? ''
    const entry = /^\s*([a-z][\w-]*)\s*=(.*)$/i.exec(line.slice(header?.[0].length ?? 0))
    if (!entry) continue
    const [, key = '', value = ''] = entry
    if (section === 'core' && key.toLowerCase() === 'hookspath') named.hooks.push(valueOf(value))
    if (/^include(if)?$/.test(section) && key.toLowerCase() === 'path') named.includes.push(valueOf(value))
  }
  return named
}

/** Removes quotation marks and comments. */
function valueOf(text: string): string {
  let value = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '\\') value += text.charAt((at += 1))
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === '#' || character === ';')) break
    else value += character
  }
  return value.trim()
}
