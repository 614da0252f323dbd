import { BUILD_LABEL, CONFIG_FOLDER, OUT_FOLDER, RUN_AS, type Steps } from './template.ts'

/**
 * All steps as a Dockerfile, for builders that need one. The commands are the same, but the builder decides which network
 * they get.
 */
export function dockerfileOf(steps: Steps, { from, buildId }: { from: string; buildId: string }): string {
  const { files, config, variables, fetch, install } = steps
  const begin = (stage: string) => [`FROM ${from} AS ${stage}`, `LABEL ${BUILD_LABEL}="${buildId}"`, 'USER 0:0']
  const tools = `COPY ${Object.keys(files).join(' ')} /build/`
  const lines = [
    ...begin('fetch'),
    ...variables.map((name) => `ARG ${name}`),
    environment(fetch.env),
    tools,
    ...(config === undefined ? [] : [`COPY ${config} ${CONFIG_FOLDER}/${config}`]),
    `RUN ${JSON.stringify(fetch.command)}`,
    '',
    ...begin('install'),
    tools,
    ...[OUT_FOLDER, '/app'].map((path) => `COPY --from=fetch --chown=${RUN_AS} ${path} ${path}`),
    environment(install.env),
    `USER ${RUN_AS}`,
    `RUN ${JSON.stringify(install.command)}`,
    '',
    ...steps.image({ fetched: 'fetch', installed: 'install' }),
    '',
  ]
  return lines.join('\n')
}

const environment = (env: Readonly<Record<string, string>>) =>
  `ENV ${Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`
