interface ColorMode {
  defaultMode: string
  respectPrefersColorScheme: boolean
  disableSwitch: boolean
}

/**
 * Runs right after the theme's own inline script and before anything is painted. That one takes any stored word for a
 * mode; here everything that is neither light nor dark, the stored word `system` included, counts as no choice, and
 * with the switch disabled so does everything that is stored.
 */
export function themeCorrection(colorMode: unknown): string {
  const { defaultMode, respectPrefersColorScheme, disableSwitch } = parse(colorMode)
  const unchosen = respectPrefersColorScheme
    ? `window.matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'`
    : `'${defaultMode}'`
  const choice = respectPrefersColorScheme ? 'system' : defaultMode
  const chosen = disableSwitch ? 'false' : `t==='light'||t==='dark'`
  return (
    `(function(){var d=document.documentElement,t=d.getAttribute('data-theme');if(${chosen})return;` +
    `d.setAttribute('data-theme',${unchosen});d.setAttribute('data-theme-choice','${choice}')})();`
  )
}

function parse(value: unknown): ColorMode {
  const given: Partial<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {}
  return {
    defaultMode: given['defaultMode'] === 'light' ? 'light' : 'dark',
    respectPrefersColorScheme: given['respectPrefersColorScheme'] === true,
    disableSwitch: given['disableSwitch'] === true,
  }
}

/**
 * On a host that does not redirect, `/page.html` and `/page/index.html` show the page too. The address is put right before
 * anything reads it, or the page would not be the one that was rendered.
 */
export const addressCorrection =
  "(function(){var p=location.pathname,n=p.replace(/(?:\\/index)?\\.html$/,'')||'/';" +
  "if(n!==p)history.replaceState(history.state,'',n+location.search+location.hash)})();"
