import type { NamedInput, ServerArgument, ServerPackage } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '../../errors.ts'

interface Program {
  name: string
  /** What it may be told without a change of what we do. */
  idle: readonly string[]
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  npm: { name: 'npx', idle: ['npx', '-y', '--yes'] },
  pypi: { name: 'uvx', idle: ['uvx'] },
  oci: { name: 'docker', idle: ['docker', 'run', '-i', '--interactive', '-t', '--tty', '-it', '--rm', '--init'] },
}

/**
 * A publisher may tell npx, uvx or docker how to run the package. We start none of them, and what such arguments ask for, a folder
 * or the network of this machine among it, is the user's to give. Only variables for a container are taken over.
 */
export function variablesForRuntime({
  registryType,
  identifier,
  version,
  runtimeArguments,
}: ServerPackage): NamedInput[] {
  const { name = 'its runtime', idle = [] } = PROGRAMS[registryType] ?? {}
  const ignored = new Set([...idle, identifier, `${identifier}@${version}`, `${identifier}:${version}`])
  return (runtimeArguments ?? []).flatMap((argument) => {
    const variable = registryType === 'oci' ? containerVariable(argument) : undefined
    if (variable) return [variable]
    const word = (argument.type === 'named' ? argument.name : argument.value) ?? ''
    const isAlone = argument.type === 'positional' || !(argument.value ?? argument.default)
    if (isAlone && ignored.has(word)) return []
    throw invalid(
      `it asks ${name} for ${excerpt(word) || 'an argument'}, which is not handed on; run its package by name, with your own options`,
    )
  })
}

/** `-e NAME=VALUE`, or `-e NAME` for a value that the user has. */
function containerVariable(argument: ServerArgument): NamedInput | undefined {
  if (argument.type !== 'named' || (argument.name !== '-e' && argument.name !== '--env')) return undefined
  const text = argument.value ?? argument.default ?? ''
  const [, name = '', value] = /^([^=]*)(?:=([^]*))?$/.exec(text) ?? []
  const { description, isSecret, isRequired, choices, variables } = argument
  return { name, value, description, isSecret, isRequired, choices, variables }
}
