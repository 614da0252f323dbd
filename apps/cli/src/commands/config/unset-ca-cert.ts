import { CA_CERT } from './ca-cert.ts'
import { unsetSetting } from './setting.ts'

export const configUnsetCaCert = unsetSetting(CA_CERT)
