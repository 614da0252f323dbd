import { getSetting } from '../setting.ts'
import { SAMPLING_RATE } from './otel-settings.ts'

export const otelGetSamplingRate = getSetting(SAMPLING_RATE)
