import { ThvError } from '../../errors.ts'

/**
 * A server's process ended before its first answer. Some end because of the first message. The next process gets a different one,
 * so there is no verdict yet.
 */
export class EndedEarly extends ThvError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause })
  }
}
