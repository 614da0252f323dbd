/** The one place that reads the environment; everything else is given what it needs of it. */
export function environment(): NodeJS.ProcessEnv {
  return process.env
}
