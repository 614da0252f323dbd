import { randomInt } from 'node:crypto'

/**
 * A random number to start counting from, so that an answer to a question of an earlier daemon never matches one of
 * ours. At most 15 digits, with room for 2^20 calls a second over years: longer numbers take a slower path here, and
 * some programs cannot read them.
 */
export const firstId = (): number => randomInt(1, 2 ** 29) * 2 ** 20
