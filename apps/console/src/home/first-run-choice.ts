const KEY = 'toolhaven.first-run'

/** Whether a person has not sent the checklist away in this browser. */
export function isFirstRunWanted(): boolean {
  return localStorage.getItem(KEY) !== 'dismissed'
}

export function dismissFirstRun(): void {
  localStorage.setItem(KEY, 'dismissed')
}
