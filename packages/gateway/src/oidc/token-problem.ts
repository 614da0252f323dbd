/** The token is not good enough; `message` is what its bearer may know. */
export class TokenRefused extends Error {}

/** Whether the token is good cannot be said now: the identity provider does not answer as it should. */
export class ProviderUnavailable extends Error {}

/** What the bearer of a token is told that is good but for its end. */
export const EXPIRED = 'the token has expired'
