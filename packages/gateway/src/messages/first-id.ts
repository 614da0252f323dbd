import { randomInt } from 'node:crypto'

/**
 * A random place to start counting, so that an answer to a question of a former daemon never fits one of ours. Of at most
 * 15 digits, with room for 2^20 calls a second over years: longer numbers are read in a slower way, and not by everybody.
 */
export const firstId = (): number => randomInt(1, 2 ** 29) * 2 ** 20
