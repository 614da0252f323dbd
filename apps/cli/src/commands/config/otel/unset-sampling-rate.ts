import { unsetSetting } from '../setting.ts'
import { SAMPLING_RATE } from './otel-settings.ts'

export const otelUnsetSamplingRate = unsetSetting(SAMPLING_RATE)
