/** The input of a template. `from` is checked against its grammar, so it may appear in a Dockerfile. */
export interface TemplateInput {
  name: string
  version: string
  from: string
  hasCa: boolean
}
export type Template = (input: TemplateInput) => Steps

/**
 * How a package becomes an image. `fetch` sees the user's configuration and runs nothing of the package. `install` runs
 * what the package contains and sees no configuration. Both work on /app, and find `files` in /build.
 */
export interface Steps {
  files: Readonly<Record<string, string>>
  /** The user's configuration file, which only the fetch finds in `CONFIG_FOLDER`. */
  config?: 'npmrc' | 'pip.conf'
  /** Names of variables that the fetch takes from its builder. */
  variables: readonly string[]
  fetch: Step
  install: Step
  /** Lines of the stage that takes the result. */
  image: (stages: { fetched: string; installed: string }) => string[]
}

export interface Step {
  command: readonly string[]
  env: Readonly<Record<string, string>>
}

/** Printed by the fetch when there is something left to run. */
export const INSTALL_MARK = 'toolhaven: install'
/** The same for a builder that runs all steps: without this file the install does nothing. */
export const INSTALL_FILE = '/app/.toolhaven-install'
export const CONFIG_FOLDER = '/build/config'
/** Where the fetch leaves what is not part of the result. */
export const OUT_FOLDER = '/build/out'

/** On what a build leaves behind: its id, or the installation that ran the build. */
export const BUILD_LABEL = 'toolhaven-build'
/** On everything that the last step makes: the installation that built it. */
export const BUILDER_LABEL = 'toolhaven-builder'
/** Where the configured certificate is inside. It is added to what the base image trusts. */
export const CA_FOLDER = '/usr/local/share/toolhaven'
/**
 * For anyone who runs such an image without naming a user. No person has this id, and rootless engines have it.
 * Toolhaven itself chooses another for its steps and servers: see `package-user.ts`.
 */
export const RUN_AS = '65532:65532'
/**
 * Owner of the result. Otherwise copied files would belong to root, and an install script could leave a set-user-id program
 * that runs as root. No program runs as this user.
 */
export const OWNED_BY = '65534:65534'

export const takeResult = (from: string) => `COPY --from=${from} --chown=${OWNED_BY} /app /app`
