import { createClientFiles } from '../../src/clients/client-files.ts'

/** For a test that kills it: changes the entries of Cursor as fast as it can. Arguments: home folder, state folder. */
const [, , homeDir = '', stateDir = ''] = process.argv
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const files = createClientFiles({ homeDir, platform: 'linux', stateDir, logger })

for (let round = 1; ; round += 1) {
  const names = ['fetch', 'time', 'git'].filter((_name, index) => (round >> index) % 2 === 1)
  const wanted = new Map(
    names.map((name) => [name, { url: `http://127.0.0.1:${4000 + round}/mcp`, transport: 'sse' as const }]),
  )
  await files.sync('Cursor', wanted, new Map()).catch(() => undefined) // the file may be busy
  if (round === 1) process.stdout.write('begun\n')
}
