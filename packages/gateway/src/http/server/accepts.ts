/** What nearly every client sends. */
const COMMON = 'application/json, text/event-stream'

const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'

/** Whether an Accept header lets us answer with this media type. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return true
  if (header === COMMON) return type === JSON_TYPE || type === STREAM_TYPE
  return wishFor(header, type).weight > 0
}

/** Whether the client prefers its answers as streams: by the weights it gives, otherwise by what it names first. */
export function prefersStream(header: string | undefined): boolean {
  if (header === undefined || header === COMMON) return false
  const [stream, json] = [wishFor(header, STREAM_TYPE), wishFor(header, JSON_TYPE)]
  return stream.weight === json.weight ? stream.place < json.place : stream.weight > json.weight
}

interface Wish {
  /** 0: not wanted. */
  weight: number
  place: number
}

/** An exact type counts more than its family, and a family more than a wildcard. */
function wishFor(header: string, type: string): Wish {
  const ranges = header.toLowerCase().split(',').map(readRange)
  for (const name of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const place = ranges.findIndex((range) => range.name === name)
    const found = ranges[place]
    if (found !== undefined) return { weight: found.weight, place }
  }
  return { weight: 0, place: ranges.length }
}

function readRange(range: string): { name: string; weight: number } {
  const [name = '', ...parameters] = range.split(';').map((piece) => piece.trim())
  const weight = parameters.map((parameter) => /^q=(?<weight>[01](?:\.\d*)?)$/.exec(parameter)?.groups?.['weight'])
  return { name, weight: Number(weight.find((said) => said !== undefined) ?? 1) }
}
