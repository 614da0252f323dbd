import { createSiteConfig } from './site/config'
import { settingsFrom } from './site/settings'

export default createSiteConfig(settingsFrom(process.env))
