/** The file that `thv apply` and `thv diff` read. */
export const MANIFEST_FLAG = {
  file: {
    type: 'text',
    short: 'f',
    value: 'file',
    summary: 'the file; "-" is standard input',
    default: 'toolhaven.yaml',
  },
} as const
