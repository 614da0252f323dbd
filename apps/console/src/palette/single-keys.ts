const KEY = 'toolhaven.single-keys'

export function usesSingleKeys(): boolean {
  return localStorage.getItem(KEY) !== 'off'
}

export function keepSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}
