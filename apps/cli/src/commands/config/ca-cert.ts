import type { Setting } from './setting.ts'

export const CA_CERT: Setting = {
  prefix: 'config ',
  name: 'ca-cert',
  noun: 'the certificate file',
  purpose:
    'certificates in PEM format to trust when packages are fetched and images are built, for networks that inspect TLS',
  of: ({ ca_certificate_path: path = null }) => ({ ca_certificate_path: path }),
  show: ({ ca_certificate_path: path }) => path ?? undefined,
  cleared: { ca_certificate_path: null },
}
