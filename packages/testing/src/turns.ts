import { type Rotation, rotationFrom, slowed } from './rotation.ts'

/** A full run takes every file. In other test runs, the files of a list run once in `rounds` rounds. */
interface Turns {
  rounds: number
  files: readonly string[]
}

const e2e = (...names: string[]) => names.map((name) => `e2e/${name}.test.ts`)
const conformance = (...names: string[]) => names.map((name) => `conformance/${name}.test.ts`)
const site = (...names: string[]) => names.map((name) => `apps/website/tests/${name}.test.ts`)
const screens = (...names: string[]) => names.map((name) => `apps/console/tests/${name}.test.ts`)
const runtimes = (...names: string[]) => names.map((name) => `packages/runtimes/src/${name}.test.ts`)

/** An odd number, so that each file meets both engines, which take turns as well. */
const ROUNDS_OF_FILES = 5
/** For files that take half a minute. Odd as well. */
const ROUNDS_OF_SHORTER = 3
/** Each takes minutes: it builds images, installs packages or starts a system's services. */
const LONG = e2e(
  ...['build', 'engines', 'image', 'inspector', 'keyring', 'pack', 'purge', 'service'].map((topic) => `cli-${topic}`),
  'attacks/install-go',
)

const TURNS: readonly Turns[] = [
  {
    rounds: ROUNDS_OF_FILES,
    // The slowest first: neighbours run in different rounds, so no round gets all of them.
    files: [
      ...e2e('attacks/install-scripts', 'isolation', 'attacks/install-tokens'),
      ...e2e('attacks/bombs', 'attacks/hostile-images', 'attacks/foreign-addresses'),
      ...e2e('lifecycle', 'cli-adopt', 'cli-workloads', 'registry'),
      ...conformance('servers'),
      ...e2e('chaos-daemon', 'cli-examples', 'cli-settings', 'documentation', 'cli-mcp', 'chaos-engine'),
      ...conformance('clients'),
      ...e2e(
        'readme-tour',
        'first-tool-call',
        'cli-proxy',
        'secrets',
        'chaos-many',
        'isolated-sessions',
        'learn',
        'hidden-files',
      ),
      ...e2e('stuck-start', 'install-hosts', 'image-verification', 'cli-doctor'),
      ...conformance('conformance'),
      ...e2e(
        'cli-apply',
        'clients',
        'tool-lock',
        'attacks/dependency-confusion',
        'cli-call',
        'cli-mistakes',
        'cli-unreachable',
        'cli-file-mistakes',
        'cli-edit',
        'cli-upgrade',
        'own-folder',
        'mcp-registry',
      ),
    ],
  },
  { rounds: LONG.length, files: LONG },
  {
    rounds: ROUNDS_OF_SHORTER,
    files: [
      ...e2e('attacks/identities', 'attacks/mounts', 'attacks/command-execution'),
      ...e2e('attacks/every-address', 'attacks/other-users', 'cli-manners', 'cli-completion'),
      ...e2e('attacks/egress', 'attacks/client-mix-up', 'attacks/registry-poisoning'),
      ...e2e('attacks/hostile-text', 'attacks/symlinks', 'starting'),
      ...e2e('attacks/console', 'guard', 'attacks/escape'),
      ...screens('settings', 'edit', 'try', 'network', 'fixing', 'hostile-results', 'clients', 'upgrade'),
      ...screens(
        'import',
        'palette',
        'adopt',
        'logs',
        'groups',
        'many-servers',
        'circumstances',
        'logging-in',
        'keyboard',
      ),
    ],
  },
  { rounds: 2, files: site('navigation', 'search-modal', 'reading', 'search-hosted') },
  // One suite, two engines. Where the end-to-end files take Docker, this takes Podman.
  { rounds: 2, files: runtimes('podman/podman.engine', 'docker/docker.engine') },
  // Real packages: fetched in all ways, or by real servers.
  { rounds: 2, files: runtimes('process/prepare-package', 'process/real-servers.engine') },
  // One suite, two users.
  { rounds: 2, files: runtimes('process/process-runtime', 'process/ordinary-user') },
]

/** Longer than a whole test run. */
const FULL_ONLY = e2e('soak')

/** The files that wait for another round, or for a full run. */
export function waitingFiles(rotation: Rotation = rotationFrom(process.env)): string[] {
  if (rotation.full) return []
  return FULL_ONLY.concat(waitingInTurn(rotation))
}

function waitingInTurn(rotation: Rotation): string[] {
  return TURNS.flatMap(({ rounds, files }) => files.filter((_, at) => at % rounds !== rotation.round % rounds))
}

/** The rotation of a matrix in one of these files. */
export function rotationInside(file: string, rotation?: Rotation): Rotation {
  const turns = TURNS.find(({ files }) => files.some((listed) => file.endsWith(`/${listed}`)))
  return slowed(turns?.rounds ?? 1, rotation)
}

export const takingTurns = (): string[] => TURNS.flatMap(({ files }) => files)
