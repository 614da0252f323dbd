import { invalid } from '@toolhaven/core/errors'
import { setSetting } from '../setting.ts'
import { ENV_VARS } from './otel-settings.ts'

export const otelSetEnvVars = setSetting(ENV_VARS, {
  args: [
    { name: 'name', summary: 'names of variables, separated by spaces or commas', required: true, variadic: true },
  ],
  examples: [
    { command: 'thv config otel set-env-vars NODE_ENV,REGION', shows: 'two names; they replace the previous list' },
  ],
  change: (args) => {
    const names = args.flatMap((arg) => arg.split(',')).map((name) => name.trim())
    const wrong = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    if (wrong !== undefined)
      throw invalid(`"${wrong}" is not the name of an environment variable; pass only names, such as NODE_ENV`)
    return { otel: { 'env-vars': [...new Set(names)] } }
  },
})
