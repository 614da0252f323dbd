import { ThvError } from '../../errors.ts'

/** A server's process ran all the time and answered nothing. If it ends after that, this is still the reason. */
export class StayedSilent extends ThvError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause })
  }
}
