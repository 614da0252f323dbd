/** The token is not accepted. `message` is what its bearer may know. */
export class TokenRefused extends Error {}

/** The token cannot be checked now: the identity provider does not answer as it should. */
export class ProviderUnavailable extends Error {}

/** What the bearer of an otherwise valid token is told. */
export const EXPIRED = 'the token has expired'
