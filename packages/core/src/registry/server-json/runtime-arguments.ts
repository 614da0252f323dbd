import type { NamedInput, ServerArgument, ServerPackage } from '@toolhaven/contract/server-json'
import { excerpt } from '@toolhaven/contract/visible-text'
import { invalid } from '../../errors.ts'

interface Program {
  name: string
  /** Arguments that change nothing about how we start it. */
  idle: readonly string[]
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  npm: { name: 'npx', idle: ['npx', '-y', '--yes'] },
  pypi: { name: 'uvx', idle: ['uvx'] },
  oci: { name: 'docker', idle: ['docker', 'run', '-i', '--interactive', '-t', '--tty', '-it', '--rm', '--init'] },
}

/**
 * A publisher may give arguments for npx, uvx or docker. We start none of these, and only the user may grant what such arguments
 * ask for, such as a folder or the network of this machine. So only variables for a container are taken over.
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
      `it passes ${excerpt(word) || 'an argument'} to ${name}, which Toolhaven does not do; run its package by name, with your own options`,
    )
  })
}

/** `-e NAME=VALUE`, or `-e NAME` for a value that the user provides. */
function containerVariable(argument: ServerArgument): NamedInput | undefined {
  if (argument.type !== 'named' || (argument.name !== '-e' && argument.name !== '--env')) return undefined
  const text = argument.value ?? argument.default ?? ''
  const [, name = '', value] = /^([^=]*)(?:=([^]*))?$/.exec(text) ?? []
  const { description, isSecret, isRequired, choices, variables } = argument
  return { name, value, description, isSecret, isRequired, choices, variables }
}
