import { CA_CERT } from './ca-cert.ts'
import { getSetting } from './setting.ts'

export const configGetCaCert = getSetting(CA_CERT)
