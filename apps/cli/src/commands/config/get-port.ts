import { PORT } from './port.ts'
import { getSetting } from './setting.ts'

export const configGetPort = getSetting(PORT)
