/** Where secrets can be kept, as told to a person who has to choose. */
export const PROVIDERS = [
  { value: 'encrypted', label: 'encrypted', hint: 'a sealed file on this machine' },
  { value: '1password', label: '1Password', hint: 'read only; needs OP_SERVICE_ACCOUNT_TOKEN where the daemon runs' },
  { value: 'none', label: 'none', hint: 'no secrets are kept' },
  {
    value: 'environment',
    label: 'environment',
    hint: 'read only; variables that begin with TOOLHAVEN_SECRET_ where the daemon runs',
  },
] as const

export type ProviderType = (typeof PROVIDERS)[number]['value']

export const PROVIDER_TYPES = PROVIDERS.map(({ value }) => value)

export function parseProvider(text: string): ProviderType | undefined {
  return PROVIDER_TYPES.find((type) => type === text)
}
