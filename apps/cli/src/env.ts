/** The only place that reads the environment. Other code receives the values that it needs. */
export function environment(): NodeJS.ProcessEnv {
  return process.env
}
