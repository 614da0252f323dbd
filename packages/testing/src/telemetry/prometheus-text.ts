export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads the text format of Prometheus (version 0.0.4) strictly: a line that is not part of it throws. */
export function parsePrometheusText(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const samples: Sample[] = []
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const match = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (match === null) throw new Error(`not a sample: ${line}`)
    const [, name = '', labels = '', value = ''] = match
    const number = value === '+Inf' ? Infinity : Number(value)
    if (Number.isNaN(number)) throw new Error(`not a number: ${line}`)
    samples.push({ name, labels: parseLabels(labels), value: number })
  }
  return samples
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  const pair = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/y
  while (pair.lastIndex < text.length) {
    const [, name, value = ''] = pair.exec(text) ?? []
    if (name === undefined) throw new Error(`not labels: ${text}`)
    labels[name] = value.replaceAll(/\\(.)/g, (_all, char: string) => (char === 'n' ? '\n' : char))
  }
  return labels
}
