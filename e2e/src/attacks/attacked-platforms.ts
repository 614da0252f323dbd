import { sample } from '@toolhaven/testing/rotation'
import type { PlatformKind } from '../platform.ts'

const TOPICS = ['egress', 'addresses', 'neighbours', 'escape', 'bombs', 'mounts'] as const
const CELLS = (['docker', 'podman'] as const).flatMap((engine) => TOPICS.map((topic) => ({ engine, topic })))

/** Where the walls of a workload are attacked: always in the sandbox, and on the engines two topics at a time. */
export function attackedPlatforms(topic: (typeof TOPICS)[number]): readonly PlatformKind[] {
  const engines = sample(CELLS, 2).filter((cell) => cell.topic === topic)
  return ['process', ...engines.map(({ engine }) => engine)]
}
