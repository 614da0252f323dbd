import { execFile } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { isMappedRange, NameMap } from './name-map.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'thv-names-'))
  path = join(folder, 'names')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What a map of this file says, and that it can be closed. */
function withMap<T>(use: (map: NameMap) => T, most?: number): T {
  const map = new NameMap(path, most)
  try {
    return use(map)
  } finally {
    map.close()
  }
}

describe('the map of names', () => {
  it('gives each name an address of its own, and the same one again', () => {
    withMap((map) => {
      const [a, b] = [map.addressOf('a.example'), map.addressOf('b.example')]
      expect(a).toMatch(/^198\.18\.\d+\.\d+$/)
      expect(b).not.toBe(a)
      expect(map.addressOf('a.example')).toBe(a)
      expect([map.nameOf(a ?? ''), map.nameOf(b ?? '')]).toEqual(['a.example', 'b.example'])
      expect(map.nameOf('198.18.7.7')).toBeUndefined()
    })
  })

  it('is the same in the next daemon, which gives no address a second time', () => {
    const a = withMap((map) => map.addressOf('a.example'))
    withMap((map) => {
      expect(map.nameOf(a ?? '')).toBe('a.example')
      expect(map.addressOf('b.example')).not.toBe(a)
      expect(map.addressOf('a.example')).toBe(a)
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('refuses when it is full, and still knows what it has', () => {
    withMap((map) => {
      const a = map.addressOf('a.example')
      expect(map.addressOf('b.example')).toBeDefined()
      expect(map.addressOf('c.example')).toBeUndefined()
      expect(map.addressOf('a.example')).toBe(a)
    }, 2)
    withMap((map) => expect(map.addressOf('c.example')).toBeUndefined(), 2)
  })

  it.each(['198.18.1.1 b.exam', '198.18.1.1 ', '198.18.1.1', '198.18'])(
    'takes nothing from a line that ends early, and does not give its address: %j',
    (line) => {
      withMap((map) => map.addressOf('a.example'))
      appendFileSync(path, line)
      for (const _ of ['once', 'again'])
        withMap((map) => {
          expect(map.nameOf('198.18.1.1')).toBeUndefined()
          expect(map.addressOf('a.example')).toBe('198.18.1.0')
          expect(map.addressOf('b.example')).toBe('198.18.1.2')
        })
    },
  )

  it('gives no address again that is in a line with others', () => {
    writeFileSync(path, '198.18.1.0 a.example198.18.1.1 b.exa198.18.1.2 c.example\n')
    withMap((map) => expect(map.addressOf('d.example')).toBe('198.18.1.3'))
  })

  it('tells no address that the disk had no room for, and goes on when there is room', async (context) => {
    const script = `
      import { execFileSync } from 'node:child_process'
      const { NameMap } = await import(${JSON.stringify(import.meta.resolve('./name-map.ts'))})
      const [path] = process.argv.slice(1)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'none', path])
      const given = []
      const give = (map, names) => {
        for (const name of names) try { given.push([name, map.addressOf(name)]) } catch { given.push([name, 'refused']) }
      }
      const names = Array.from({ length: 400 }, (_, at) => 'n' + at + '.example')
      const first = new NameMap(path + '/map')
      give(first, names)
      execFileSync('mount', ['-o', 'remount,size=64k', path])
      give(first, ['later.example'])
      first.close()
      const second = new NameMap(path + '/map')
      const known = given.map(([, address]) => second.nameOf(address))
      give(second, names)
      console.log(JSON.stringify({ given, known }))`
    const words = [
      '--user',
      '--map-root-user',
      '--mount',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
      folder,
    ]
    const { stdout } = await promisify(execFile)('unshare', words).catch((error: unknown) =>
      context.skip(`this kernel has no user namespaces: ${String(error)}`),
    )
    const { given, known }: { given: [string, string][]; known: (string | null)[] } = JSON.parse(stdout)
    const isTold = ([, address]: [string, string]) => address !== 'refused'
    const before = given.slice(0, known.length)
    expect(before.filter((each) => !isTold(each)).length).toBeGreaterThan(0)
    // What was told means the same to the next daemon, and no other name ever gets that address.
    expect(known).toEqual(before.map((each) => (isTold(each) ? each[0] : null)))
    expect(new Set(given.filter(isTold).map((each) => each.join(' '))).size).toBe(401)
    expect(new Set(given.filter(isTold).map(([, address]) => address)).size).toBe(401)
  })

  it.each([
    ['an address outside its range', '10.0.0.1 a.example'],
    ['another spelling of an address', '198.18.01.0 a.example'],
    ['what is not a name', '198.18.1.0 a..example'],
    ['an address for a name', '198.18.1.0 10.0.0.1'],
    ['nothing', ''],
    ['bytes', '\u0000\u00ff'],
  ])('takes nothing from a line with %s, and does not give its address', (_what, line) => {
    writeFileSync(path, `${line}\n198.18.1.1 b.example\n`, 'latin1')
    withMap((map) => {
      expect(map.nameOf('198.18.1.0')).toBeUndefined()
      expect(map.nameOf('198.18.1.1')).toBe('b.example')
      expect(map.addressOf('c.example')).toBe('198.18.1.2')
    })
  })

  it('lets an address stand for nothing that the file has two names for', () => {
    writeFileSync(path, '198.18.1.0 a.example\n198.18.1.0 b.example\n')
    withMap((map) => {
      expect(map.nameOf('198.18.1.0')).toBeUndefined()
      expect([map.addressOf('a.example'), map.addressOf('b.example')]).toEqual(['198.18.1.2', '198.18.1.3'])
    })
  })

  it.each([
    ['a folder', () => mkdirSync(path)],
    ['a link', () => symlinkSync(join(folder, 'elsewhere'), path)],
  ])('puts a file in the place of %s', (_what, put) => {
    put()
    const a = withMap((map) => map.addressOf('a.example'))
    expect(readFileSync(path, 'utf8')).toBe(`${a} a.example\n`)
  })

  it('never crashes on a file and never gives an address twice, whatever is in it', () => {
    const line = fc.oneof(
      fc.string(),
      fc.tuple(fc.nat(300), fc.constantFrom('a.example', 'b.example', '')).map(([n, name]) => `198.18.1.${n} ${name}`),
    )
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, isWhole) => {
        writeFileSync(path, `${lines.join('\n')}${isWhole ? '\n' : ''}`)
        withMap((map) => {
          for (const name of ['a.example', 'b.example', 'c.example']) {
            const address = map.addressOf(name)
            expect(map.nameOf(address ?? '')).toBe(name)
          }
        })
        withMap((map) => expect(map.nameOf(map.addressOf('c.example') ?? '')).toBe('c.example'))
      }),
    )
  })

  it('knows its range', () => {
    expect(['198.18.0.0', '198.19.255.255', '198.20.0.1', '198.17.0.1', '198.18.1.1.1'].map(isMappedRange)).toEqual([
      ...[true, true, false, false, false],
    ])
  })
})
