import { getSetting } from '../setting.ts'
import { ENV_VARS } from './otel-settings.ts'

export const otelGetEnvVars = getSetting(ENV_VARS)
