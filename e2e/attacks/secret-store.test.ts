import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { describeAttack } from '../src/attacks/describe-attack.ts'
import { type Home, makeHome } from '../src/home.ts'
import { rawCall } from '../src/raw-call.ts'
import { socketOf } from '../src/socket-of.ts'

const VALUE = 'pay to account 1111'
const sealed = z.looseObject({ ciphertext: z.string() })

async function storeOf(home: Home): Promise<string> {
  const entries = await readdir(home.dir, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    if ((await readFile(path, 'latin1')).includes('"ciphertext"')) return path
  }
  throw new Error('there is no file with sealed secrets')
}

/** An attacker who knows how the content begins can change single letters without the key. */
async function turnLetters(path: string, entries: string, from: string, to: string): Promise<void> {
  const file = sealed.parse(JSON.parse(await readFile(path, 'utf8')))
  const bytes = Buffer.from(file.ciphertext, 'base64')
  const at = entries.indexOf(from)
  for (let index = 0; index < from.length; index += 1)
    bytes[at + index] = (bytes[at + index] ?? 0) ^ from.charCodeAt(index) ^ to.charCodeAt(index)
  await writeFile(path, JSON.stringify({ ...file, ciphertext: bytes.toString('base64') }), { mode: 0o600 })
}

describeAttack('a secret store that was altered', {
  defence: 'the seal of the content',
  weaknesses: [
    {
      file: 'packages/stores/src/secrets/sealed-file.ts',
      find: "decipher.update(Buffer.from(file.ciphertext, 'base64')), decipher.final()])",
      replace: "decipher.update(Buffer.from(file.ciphertext, 'base64'))])",
    },
  ],
  attack: async (build) => {
    await using home = await makeHome({ env: { THV_RUNTIME: 'process' } })
    {
      await using daemon = await build.start(home)
      await daemon.api.call('setupSecrets', { body: { provider_type: 'encrypted' } })
      await daemon.api.call('createSecret', { body: { key: 'order', value: VALUE } })
    }
    const path = await storeOf(home)
    if ((await readFile(path, 'latin1')).includes(VALUE)) throw new Error('the store is not sealed at all')
    await turnLetters(path, JSON.stringify([['order', VALUE]]), '1111', '6666')
    await using _daemon = await build.start(home)
    const call = { headers: { host: 'localhost' } }
    const route = '/api/v1beta/secrets/default/keys/order/value'
    const { body } = await rawCall({ socketPath: await socketOf(home) }, route, call)
    return { 'the altered secret is used': body.includes('6666') }
  },
})
