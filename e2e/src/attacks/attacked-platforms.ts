import { sample } from '@toolhaven/testing/rotation'
import type { PlatformKind } from '../platform.ts'

const TOPICS = ['egress', 'around', 'addresses', 'neighbours', 'escape', 'mounts', 'default-run'] as const
const CELLS = (['docker', 'podman'] as const).flatMap((engine) => TOPICS.map((topic) => ({ engine, topic })))

const AT_A_TIME = 2
/** After so many rounds every topic was attacked on every engine. */
export const ROUNDS_OF_PLATFORMS = CELLS.length / AT_A_TIME

/** Where the walls of a workload are attacked: always in the sandbox, and on the engines two topics at a time. */
export function attackedPlatforms(topic: (typeof TOPICS)[number]): readonly PlatformKind[] {
  const engines = sample(CELLS, AT_A_TIME).filter((cell) => cell.topic === topic)
  return ['process', ...engines.map(({ engine }) => engine)]
}
