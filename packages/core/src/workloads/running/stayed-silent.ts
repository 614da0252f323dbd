import { ThvError } from '../../errors.ts'

/** A server's process ran but never answered. If it ends later, this is still the reason. */
export class StayedSilent extends ThvError {
  constructor(message: string, cause: unknown) {
    super('unavailable', message, { cause })
  }
}
