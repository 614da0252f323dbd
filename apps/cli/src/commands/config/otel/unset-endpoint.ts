import { unsetSetting } from '../setting.ts'
import { ENDPOINT } from './otel-settings.ts'

export const otelUnsetEndpoint = unsetSetting(ENDPOINT)
