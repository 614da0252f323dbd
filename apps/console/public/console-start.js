// Runs before the first paint and before every module. The content security policy forbids the code that zod would
// generate, and a page that changes its colours after it was shown hurts the eyes.
globalThis.__zod_globalConfig = { jitless: true }
{
  const chosen = localStorage.getItem('toolhaven.colour-mode')
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
