/** How a server is started, with paths as it sees them. */
export type StartCommand = readonly [string, ...string[]]

export interface ProjectPackages {
  kind: 'npm' | 'python'
  /** The files that say which: by name, what is handed to the package manager. */
  files: Readonly<Record<string, string>>
}

export interface Project {
  /** What has to be installed for it; undefined when nothing has. */
  packages?: ProjectPackages
  /** Undefined when the project does not say it. */
  start?: StartCommand
}
