import { registryDocument, type RegistryDocument } from '@toolhaven/contract/registry-document'
import { builtInDocument } from './built-in-document.ts'

/** The registry that ships with Toolhaven. A URL or file that the user sets replaces it. */
export const builtInRegistry: RegistryDocument = registryDocument.parse(builtInDocument)
