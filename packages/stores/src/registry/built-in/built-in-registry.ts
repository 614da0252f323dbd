import { registryDocument, type RegistryDocument } from '@toolhaven/contract/registry-document'
import { builtInDocument } from './built-in-document.ts'

/** The registry that ships with the product; a url or file source takes its place when the user sets one. */
export const builtInRegistry: RegistryDocument = registryDocument.parse(builtInDocument)
