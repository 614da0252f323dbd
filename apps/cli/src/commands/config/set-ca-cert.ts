import { CA_CERT } from './ca-cert.ts'
import { setSetting } from './setting.ts'

export const configSetCaCert = setSetting(CA_CERT, {
  args: [{ name: 'path', summary: 'a PEM file', required: true }],
  more: 'The file is checked now and read again at each use, so do not move it.',
  examples: [{ command: 'thv config set-ca-cert ./company-ca.pem', shows: 'the file is checked first' }],
  change: async ([path = ''], { cwd }) => {
    const { resolve } = await import('node:path')
    return { ca_certificate_path: resolve(cwd, path) }
  },
})
