import { getSetting } from '../setting.ts'
import { ENDPOINT } from './otel-settings.ts'

export const otelGetEndpoint = getSetting(ENDPOINT)
