/** What a template gets. `from` is checked by grammar, so it may stand in a Dockerfile. */
export interface TemplateInput {
  name: string
  version: string
  from: string
  hasCa: boolean
  buildId: string
}
export type Template = (input: TemplateInput) => { dockerfile: string; files: Record<string, string> }

/** Marks the images of the build stage, which may hold registry tokens and are removed after the build. */
export const BUILD_LABEL = 'toolhaven-build'
/** Where the configured certificate stands inside; added to what the base image trusts. */
export const CA_FOLDER = '/usr/local/share/toolhaven'
export const RUN_AS = '1000:1000'
