/** The secrets providers, described for a person who must choose one. */
export const PROVIDERS = [
  { value: 'encrypted', label: 'encrypted', hint: 'a sealed file on this machine' },
  { value: '1password', label: '1Password', hint: 'read only; the daemon needs OP_SERVICE_ACCOUNT_TOKEN' },
  { value: 'none', label: 'none', hint: 'stores no secrets' },
  {
    value: 'environment',
    label: 'environment',
    hint: 'read only; variables of the daemon that begin with TOOLHAVEN_SECRET_',
  },
] as const

export type ProviderType = (typeof PROVIDERS)[number]['value']

export const PROVIDER_TYPES = PROVIDERS.map(({ value }) => value)

export function parseProvider(text: string): ProviderType | undefined {
  return PROVIDER_TYPES.find((type) => type === text)
}
