import { isNetworkVariable } from './network-variables.ts'

export function goEnv(env: Readonly<Record<string, string | undefined>>, homeDir: string): Record<string, string> {
  const picked: Record<string, string> = { HOME: homeDir }
  const wanted =
    /^(PATH|GOPROXY|GOPRIVATE|GONOPROXY|GONOSUMDB|GOSUMDB|GONOSUMCHECK|GOINSECURE|GOENV|GOROOT|XDG_CONFIG_HOME)$/
  for (const [key, value] of Object.entries(env))
    if (value !== undefined && (wanted.test(key) || isNetworkVariable(key))) picked[key] = value
  return picked
}
