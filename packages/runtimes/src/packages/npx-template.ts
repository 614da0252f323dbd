import { START_NOTHING } from '../install-rules.ts'
import { RUN_SCRIPTS } from '../npm-scripts.ts'
import {
  CA_FOLDER,
  CONFIG_FOLDER,
  INSTALL_FILE,
  INSTALL_MARK,
  OUT_FOLDER,
  RUN_AS,
  takeResult,
  type Template,
} from './template.ts'

/** The name of the package appears only in package.json. */
export const renderNpx: Template = ({ name, version, from, hasCa }) => {
  const trust: Record<string, string> = hasCa ? { NODE_EXTRA_CA_CERTS: '/build/ca.pem' } : {}
  const manifest = JSON.stringify({ private: true, dependencies: { [name]: version } }, undefined, 2)
  return {
    files: {
      'package.json': `${manifest}\n`,
      'fetch.sh': FETCH,
      'install.sh': INSTALL,
      'link-command.mjs': LINK_COMMAND,
      'start-nothing.cjs': START_NOTHING,
      'run-scripts.cjs': RUN_SCRIPTS,
    },
    config: 'npmrc',
    variables: [],
    fetch: {
      command: ['/bin/sh', '/build/fetch.sh'],
      env: {
        ...trust,
        ...QUIET,
        NPM_CONFIG_USERCONFIG: `${CONFIG_FOLDER}/npmrc`,
        NPM_CONFIG_CACHE: '/build/cache',
        HOME: '/tmp',
      },
    },
    install: {
      command: ['/bin/sh', '/build/install.sh'],
      env: { ...trust, ...QUIET, NPM_CONFIG_USERCONFIG: '/build/none', NPM_CONFIG_CACHE: '/tmp/npm', HOME: '/tmp' },
    },
    image: ({ installed }) => [
      `FROM ${from}`,
      ...(hasCa ? [`COPY ca.pem ${CA_FOLDER}/ca.pem`, `ENV NODE_EXTRA_CA_CERTS=${CA_FOLDER}/ca.pem`] : []),
      takeResult(installed),
      'ENV NODE_ENV=production HOME=/tmp',
      'WORKDIR /app',
      `USER ${RUN_AS}`,
      'ENTRYPOINT ["/app/command"]',
    ],
  }
}

const QUIET = { NPM_CONFIG_UPDATE_NOTIFIER: 'false', NPM_CONFIG_LOGLEVEL: 'error' }

const FETCH = `set -e
mkdir -p /app ${OUT_FOLDER}
cat /build/package.json > /app/package.json
cd /app
NODE_OPTIONS=--require=/build/start-nothing.cjs npm install --ignore-scripts --allow-git=none --omit=dev --no-audit --no-fund
node /build/link-command.mjs
rm -rf /build/cache
`

/** Otherwise node-gyp would download Node's headers from a host that is not a package index. */
const INSTALL = `set -e
[ -e ${INSTALL_FILE} ] || exit 0
rm ${INSTALL_FILE}
if [ -e /usr/local/include/node/node_version.h ]; then export npm_config_nodedir=/usr/local; fi
cd /app
exec node /build/run-scripts.cjs /app npm rebuild --omit=dev --no-audit --no-fund
`

/** Chooses the command as npx does: the only one, or the one named like the package. Then looks for install scripts. */
const LINK_COMMAND = `import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))
const [name] = Object.keys(read('/app/package.json').dependencies)
const { bin = {} } = read('/app/node_modules/' + name + '/package.json')
const short = name.split('/').at(-1)
const commands = typeof bin === 'string' ? { [short]: bin } : bin
const names = Object.keys(commands)
const files = new Set(Object.values(commands))
const chosen = names.length === 1 || files.size === 1 ? names[0] : names.find((candidate) => candidate === short)
if (chosen === undefined) {
  process.stderr.write(name + (names.length === 0 ? ' has no command' : ' has several commands and none is its name: ' + names.join(', ')) + '\\n')
  process.exit(1)
}
symlinkSync('node_modules/.bin/' + chosen, '/app/command')

const config = process.env.NPM_CONFIG_USERCONFIG
const ignoresScripts = existsSync(config) && /^\\s*ignore-scripts\\s*=\\s*true/m.test(readFileSync(config, 'utf8'))
const { packages } = read('/app/node_modules/.package-lock.json')
if (!ignoresScripts && Object.values(packages).some((entry) => entry.hasInstallScript)) {
  writeFileSync('${INSTALL_FILE}', '')
  process.stdout.write('${INSTALL_MARK}\\n')
}
`
