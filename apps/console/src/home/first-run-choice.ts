const KEY = 'toolhaven.first-run'

/** Whether a person has not sent the checklist away in this browser. */
export function isFirstRunWanted(): boolean {
  return localStorage.getItem(KEY) !== 'dismissed'
}

const CALLED = 'toolhaven.called-a-tool'

/** Nobody else keeps it: the daemon counts the calls of the last minute. */
export function wasToolCalled(): boolean {
  return localStorage.getItem(CALLED) === 'yes'
}

export function rememberCall(): void {
  localStorage.setItem(CALLED, 'yes')
}

export function dismissFirstRun(): void {
  localStorage.setItem(KEY, 'dismissed')
}
