/** The parts of `docker run …` that a workload can express. */
export interface DockerRun {
  image: string
  args: string[]
  /** Null: the value comes from the environment of the command itself. */
  variables: Map<string, string | null>
  volumes: string[]
  hasNetwork: boolean
}

/** Options that describe what every workload has anyway. */
const IGNORED = new Set(['-i', '-t', '-it', '-ti', '--interactive', '--tty', '--rm', '--init', '-q', '--quiet'])
const IGNORED_WITH_VALUE = new Set(['--name', '--pull', '--platform', '--label', '-l', '--log-driver', '--restart'])

/** Reads the words after `docker`. Gives a text if something cannot be carried over. */
export function readDockerRun(words: readonly string[]): DockerRun | string {
  const rest = words[0] === 'container' ? words.slice(1) : words
  if (rest[0] !== 'run') return `"docker ${rest[0] ?? ''}" is not "docker run"`
  const run: DockerRun = { image: '', args: [], variables: new Map(), volumes: [], hasNetwork: true }
  for (let at = 1; at < rest.length; at += 1) {
    const word = rest[at] ?? ''
    if (!word.startsWith('-')) return { ...run, image: word, args: rest.slice(at + 1) }
    if (IGNORED.has(word)) continue
    const [, flag = word, joined] = /^(--[^=]+|-[a-z])=?(.*)$/s.exec(word) ?? []
    const value = joined || rest[(at += 1)]
    if (value === undefined) return `its option ${word} has no value`
    const obstacle = takeOption(run, flag, value)
    if (obstacle !== undefined) return obstacle
  }
  return 'it names no image'
}

function takeOption(run: DockerRun, flag: string, value: string): string | undefined {
  if (IGNORED_WITH_VALUE.has(flag)) return undefined
  switch (flag) {
    case '-e':
    case '--env': {
      const [name = '', ...rest] = value.split('=')
      run.variables.set(name, value.includes('=') ? rest.join('=') : null)
      return undefined
    }
    case '-v':
    case '--volume':
      return takeVolume(run, value)
    case '--mount':
      return takeMount(run, value)
    case '--network':
    case '--net':
      if (value !== 'none' && value !== 'bridge' && value !== 'default') break
      run.hasNetwork = value !== 'none'
      return undefined
  }
  return `its docker option ${flag} ${flag.startsWith('--net') ? `${value} ` : ''}has no counterpart in a workload`
}

function takeVolume(run: DockerRun, value: string): string | undefined {
  const [host = '', inside, mode] = value.split(':')
  if (!/^[/~]/.test(host) || inside === undefined) return `its volume ${host} is not a folder of this machine`
  run.volumes.push(`${host}:${inside}${mode?.split(',').includes('ro') ? ':ro' : ''}`)
  return undefined
}

function takeMount(run: DockerRun, value: string): string | undefined {
  const fields = new Map(
    value.split(',').map((part): [string, string] => [part.split('=')[0] ?? '', part.split('=').slice(1).join('=')]),
  )
  const host = fields.get('src') ?? fields.get('source')
  const inside = fields.get('dst') ?? fields.get('target') ?? fields.get('destination')
  if (fields.get('type') !== 'bind' || !host || !inside) return `its mount ${value} is not a folder of this machine`
  run.volumes.push(`${host}:${inside}${fields.has('ro') || fields.has('readonly') ? ':ro' : ''}`)
  return undefined
}
