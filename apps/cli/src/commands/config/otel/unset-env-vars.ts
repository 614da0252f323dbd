import { unsetSetting } from '../setting.ts'
import { ENV_VARS } from './otel-settings.ts'

export const otelUnsetEnvVars = unsetSetting(ENV_VARS)
