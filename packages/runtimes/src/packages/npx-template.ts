import { BUILD_LABEL, CA_FOLDER, RUN_AS, type Template } from './template.ts'

/**
 * The package is installed in one stage, with the user's npm configuration, and copied to a fresh one, so no token
 * reaches a layer of the result. Its name stands in package.json only.
 */
export const renderNpx: Template = ({ name, version, from, hasCa, buildId }) => {
  const ca = hasCa ? [`COPY ca.pem ${CA_FOLDER}/ca.pem`, `ENV NODE_EXTRA_CA_CERTS=${CA_FOLDER}/ca.pem`] : []
  const dockerfile = [
    `FROM ${from} AS build`,
    `LABEL ${BUILD_LABEL}="${buildId}"`,
    'USER 0:0',
    ...ca,
    'ENV NPM_CONFIG_USERCONFIG=/build/npmrc NPM_CONFIG_CACHE=/build/cache NPM_CONFIG_UPDATE_NOTIFIER=false',
    'WORKDIR /app',
    'COPY npmrc link-command.mjs /build/',
    'COPY package.json /app/package.json',
    'RUN ["npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]',
    'RUN ["node", "/build/link-command.mjs"]',
    '',
    `FROM ${from}`,
    ...ca,
    'COPY --from=build /app /app',
    'ENV NODE_ENV=production HOME=/tmp',
    'WORKDIR /app',
    `USER ${RUN_AS}`,
    'ENTRYPOINT ["/app/command"]',
    '',
  ].join('\n')
  const manifest = JSON.stringify({ private: true, dependencies: { [name]: version } }, undefined, 2)
  return { dockerfile, files: { 'package.json': `${manifest}\n`, 'link-command.mjs': LINK_COMMAND } }
}

/** Chooses the command as npx does: the only one, or the one named like the package. */
const LINK_COMMAND = `import { readFileSync, symlinkSync } from 'node:fs'

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
`
