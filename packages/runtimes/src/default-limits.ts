/** The limits of every server, unless its configuration says otherwise. See docs/decisions/0077-limits-that-hold.md. */
export const DEFAULT_MEMORY_BYTES = 1 << 30
/** Threads count too: a browser driven by a server needs a few hundred. */
export const DEFAULT_PIDS = 512
/** For all containers with the same user, where an engine cannot count the processes of each one. */
export const SHARED_PIDS = 2048
/** Programs expect the soft limit. Those that need more raise it themselves, up to the hard one. */
export const OPEN_FILES = { soft: 1024, hard: 4096 }
/** For each folder that is kept in memory. */
export const TEMPORARY_BYTES = 512 << 20
export const SHARED_MEMORY_BYTES = 256 << 20
