/** How a server is started, with paths as the server sees them. */
export type StartCommand = readonly [string, ...string[]]

export interface ProjectPackages {
  kind: 'npm' | 'python'
  /** The files that list the packages, by name: the input of the package manager. */
  files: Readonly<Record<string, string>>
}

export interface Project {
  /** What has to be installed for it. Undefined when nothing has. */
  packages?: ProjectPackages
  /** Undefined when the project does not say. */
  start?: StartCommand
}
