import { invalid } from '@toolhaven/core/errors'
import type { FolderSource } from '@toolhaven/core/ports/runtime'
import { readNpmProject } from './npm-project.ts'
import { readPythonProject } from './python-project.ts'
import type { Project } from './start-command.ts'

/**
 * What the folder contains, read again at each start. A command that the user gave takes precedence over the project.
 */
export async function readProject({
  path,
  command,
}: FolderSource): Promise<Required<Pick<Project, 'start'>> & Project> {
  const isGiven = command !== undefined
  const project = (await readNpmProject(path, isGiven)) ?? (await readPythonProject(path, isGiven))
  const [program, ...args] = command ?? []
  if (program !== undefined) {
    // It finds the program on the server's path, as a shell would.
    const start = ['/usr/bin/env', '--', program, ...args] as const
    return { ...(project?.packages && { packages: project.packages }), start }
  }
  if (project?.start === undefined)
    throw invalid(
      `${path} has neither a package.json nor a Python project (pyproject.toml, requirements.txt, server.py), so Toolhaven does not know how to start it. Give the command: thv run --folder ${path} -- COMMAND.`,
    )
  return { ...(project.packages && { packages: project.packages }), start: project.start }
}
