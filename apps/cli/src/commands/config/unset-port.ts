import { PORT } from './port.ts'
import { unsetSetting } from './setting.ts'

export const configUnsetPort = unsetSetting(PORT)
