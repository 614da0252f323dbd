import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeHome } from '../src/home.ts'

const BROKEN = '{\n  // mine\n  "mcpServers": { "own": { "url": "http://own.example" }\n'
const READ_ONLY = '{ "servers": {} }\n'

describeAttack("changes of a client's file that its owner did not mean", {
  defence: 'leaving alone what cannot be read or must not be written',
  weaknesses: [
    {
      file: 'packages/stores/src/clients/jsonc-text.ts',
      find: 'const [first] = errors',
      replace: 'const [first] = errors.slice(errors.length)',
    },
    {
      file: 'packages/stores/src/clients/client-file.ts',
      find: 'await refuseReadOnly(file.path)',
      replace: '',
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    const [cursor, code] = [join(home.dir, 'home', '.cursor'), join(home.dir, 'home', '.config', 'Code', 'User')]
    for (const folder of [cursor, code]) await mkdir(folder, { recursive: true })
    const [broken, readOnly] = [join(cursor, 'mcp.json'), join(code, 'mcp.json')]
    await writeFile(broken, BROKEN)
    await writeFile(readOnly, READ_ONLY)
    await chmod(readOnly, 0o400)
    await using daemon = await build.start(home)
    await daemon.api.call('createWorkload', { body: { name: 'planted', url: 'http://127.0.0.1:9/mcp' } })
    // Registering writes the entries before it is answered.
    for (const name of ['Cursor', 'VSCode'])
      await daemon.api.call('createClient', { body: { name } }).catch(() => undefined)
    return {
      'a file with a fault in it is changed': (await readFile(broken, 'utf8')) !== BROKEN,
      'a file that is read-only is changed': (await readFile(readOnly, 'utf8')) !== READ_ONLY,
    }
  },
})
