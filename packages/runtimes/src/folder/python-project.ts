import { join } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import { FOLDER_PLACE } from '@toolhaven/core/workloads/mounts'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { readInside } from '../process/package-cache.ts'
import { chooseScript } from '../process/uvx-package.ts'
import { checkRequirements } from './check-requirements.ts'
import type { Project, ProjectPackages, StartCommand } from './start-command.ts'

const projectSchema = z.looseObject({
  project: z
    .looseObject({
      name: z.string().optional(),
      dependencies: z.array(z.string()).optional(),
      dynamic: z.array(z.string()).optional(),
      scripts: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
})
type Pyproject = z.infer<typeof projectSchema>

const MOST_LOCK_BYTES = 32 * 2 ** 20
const MAIN_FILES = ['__main__.py', 'main.py', 'server.py', 'app.py']

/** Undefined when nothing in the folder is Python. */
export async function readPythonProject(folder: string, isStartGiven: boolean): Promise<Project | undefined> {
  const text = await readInside(folder, 'pyproject.toml')
  const requirements = await readInside(folder, 'requirements.txt')
  const main = await firstOf(folder, MAIN_FILES)
  if (text === undefined && requirements === undefined && main === undefined) return undefined
  const { project } = text === undefined ? {} : parsePyproject(folder, text)
  const packages = await packagesOf(folder, text, project, requirements)
  const start = isStartGiven ? undefined : startOf(folder, project, main)
  return { ...(packages && { packages }), ...(start && { start }) }
}

function parsePyproject(folder: string, text: string): Pyproject {
  try {
    return projectSchema.parse(parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : describeError(error)
    throw invalid(`${join(folder, 'pyproject.toml')} cannot be used: ${why.replaceAll(/\s*\n\s*/g, ' ')}.`, error)
  }
}

/** The lock file says most. Without one, the lists of the project. */
async function packagesOf(
  folder: string,
  text: string | undefined,
  project: Pyproject['project'],
  requirements: string | undefined,
): Promise<ProjectPackages | undefined> {
  const isListed = Boolean(project?.dependencies?.length)
  const lock = isListed ? await readInside(folder, 'uv.lock', MOST_LOCK_BYTES) : undefined
  if (text !== undefined && lock !== undefined)
    return { kind: 'python', files: { 'pyproject.toml': text, 'uv.lock': lock } }
  if (requirements !== undefined) return listOf(folder, 'requirements.txt', requirements)
  if (project?.dynamic?.includes('dependencies'))
    throw invalid(
      `${folder} has dependencies that only its build knows. List them under "dependencies" in its pyproject.toml, or in a requirements.txt.`,
    )
  const listed = project?.dependencies ?? []
  return isListed ? listOf(folder, 'pyproject.toml', `${listed.join('\n')}\n`) : undefined
}

function listOf(folder: string, file: string, requirements: string): ProjectPackages {
  checkRequirements(join(folder, file), requirements)
  return { kind: 'python', files: { 'requirements.txt': requirements } }
}

const OBJECT = /^([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)$/

/** The script that an installation would create, otherwise a file with a usual name. */
function startOf(folder: string, project: Pyproject['project'], main: string | undefined): StartCommand {
  const scripts = project?.scripts ?? {}
  const names = Object.keys(scripts)
  const isClear = names.length === 1 || (names.length > 1 && main === undefined)
  if (isClear) {
    const chosen = scripts[chooseScript(project?.name ?? '', names)] ?? ''
    const [, module, object] = OBJECT.exec(chosen.trim()) ?? []
    if (module === undefined || object === undefined)
      throw invalid(`The script "${chosen}" in the pyproject.toml of ${folder} must have the form "module:function".`)
    const [first = ''] = object.split('.')
    return ['python', '-c', `import sys\nfrom ${module} import ${first}\nsys.exit(${object}())`]
  }
  if (main !== undefined) return ['python', `${FOLDER_PLACE}/${main}`]
  throw invalid(
    `${folder} has no script in its pyproject.toml and none of ${MAIN_FILES.join(', ')}. Say how to start it: thv run --folder ${folder} -- python FILE.`,
  )
}

async function firstOf(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if ((await readInside(folder, name, 1)) !== undefined) return name
  return undefined
}
