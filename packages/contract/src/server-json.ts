import * as z from 'zod'

/**
 * `server.json` of the MCP registry: how its publisher describes a server. Unknown fields are dropped, because the format grows.
 * Registries write null for absent values.
 */

const text = (description: string) => z.string().nullish().meta({ description })
const flag = (description: string) => z.boolean().nullish().meta({ description })

const inputFields = {
  description: text('What the value is for'),
  isRequired: flag('Whether the server needs it'),
  isSecret: flag('Whether its value is confidential'),
  value: text('Value that the publisher sets; {NAME} is replaced by a variable'),
  default: text('Value to use when none is given'),
  placeholder: text('Example of a value'),
  format: text('string, number, boolean or filepath'),
  choices: z.array(z.string()).nullish().meta({ description: 'Values that it may have' }),
}
const variables = z
  .record(z.string(), z.object(inputFields))
  .nullish()
  .meta({ description: 'Variables that the value uses in braces, by name' })
const templateFields = { ...inputFields, variables }

const serverInput = z.object(templateFields)
export type ServerInput = z.infer<typeof serverInput>

const namedInput = z.object({
  ...templateFields,
  name: z.string().meta({ description: 'Name of the variable or header' }),
})
export type NamedInput = z.infer<typeof namedInput>

const serverArgument = z.object({
  ...templateFields,
  type: z.enum(['positional', 'named']).meta({ description: 'named (with a name before its value) or positional' }),
  name: text('Name of a named argument, with its dashes'),
  valueHint: text('What to call the value of a positional argument'),
})
export type ServerArgument = z.infer<typeof serverArgument>

const serverTransport = z.object({
  type: z.string().meta({ description: 'stdio, sse or streamable-http' }),
  url: text('Address of the server; {NAME} is replaced by a variable'),
  headers: z.array(namedInput).nullish().meta({ description: 'HTTP headers that the server reads' }),
  variables,
})
export type ServerTransport = z.infer<typeof serverTransport>

const list = <T extends z.ZodType>(item: T, description: string) => z.array(item).nullish().meta({ description })

const serverPackage = z.object({
  registryType: z.string().meta({ description: 'Kind of package: npm, pypi, oci or another' }),
  registryBaseUrl: text('Where the package is published'),
  identifier: z.string().meta({ description: 'Name of the package, or reference of the image' }),
  version: text('Exact version'),
  fileSha256: text('SHA-256 of a file that is downloaded'),
  transport: serverTransport.meta({ description: 'How the server speaks MCP' }),
  runtimeArguments: list(serverArgument, 'Arguments of the program that starts the package'),
  packageArguments: list(serverArgument, 'Arguments of the server'),
  environmentVariables: list(namedInput, 'Environment variables that the server reads'),
})
export type ServerPackage = z.infer<typeof serverPackage>

export const serverJson = z
  .object({
    name: z.string().meta({ description: 'Name of the server, such as io.github.someone/weather' }),
    description: z.string().meta({ description: 'What the server does' }),
    version: text('Version of the server'),
    status: text('active or deprecated; newer registries state it outside the file'),
    repository: z
      .object({ url: text('Address of the repository') })
      .nullish()
      .meta({ description: 'Source repository' }),
    packages: list(serverPackage, 'Packages that run on this machine'),
    remotes: list(serverTransport, 'Addresses at which the server runs elsewhere'),
  })
  .meta({ id: 'toolhaven.ServerJson', description: 'A server.json file of the MCP registry' })
export type ServerJson = z.infer<typeof serverJson>
