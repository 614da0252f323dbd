import { CA_FOLDER, INSTALL_MARK, OUT_FOLDER, RUN_AS, takeResult, type Template } from './template.ts'

/**
 * A static binary in an otherwise empty image. Go reads every folder of SSL_CERT_DIR in addition to the system's
 * bundle.
 */
export const renderGo: Template = ({ name, version, hasCa }) => {
  const build = { GOPATH: MODULES, GOCACHE: '/tmp/go-cache', GOBIN: '/app', CGO_ENABLED: '0', GOFLAGS: '-trimpath' }
  return {
    files: { package: `${name}@${version}\n`, 'fetch.sh': FETCH, 'install.sh': INSTALL },
    variables: ['GOPROXY', 'GOPRIVATE', 'GONOSUMDB'],
    fetch: {
      command: ['/bin/sh', '/build/fetch.sh'],
      env: { ...build, ...(hasCa && { SSL_CERT_DIR: '/etc/ssl/certs:/build' }), HOME: '/tmp' },
    },
    install: {
      command: ['/bin/sh', '/build/install.sh'],
      // What was fetched was compared with its checksums then.
      env: { ...build, GOPROXY: `file://${MODULES}/pkg/mod/cache/download`, GOSUMDB: 'off', HOME: '/tmp' },
    },
    image: ({ fetched, installed }) => [
      'FROM scratch',
      `COPY --from=${fetched} /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt`,
      ...(hasCa ? [`COPY ca.pem ${CA_FOLDER}/ca.pem`, `ENV SSL_CERT_DIR=/etc/ssl/certs:${CA_FOLDER}`] : []),
      takeResult(installed),
      'ENV HOME=/tmp',
      'WORKDIR /app',
      `USER ${RUN_AS}`,
      `ENTRYPOINT ${JSON.stringify([`/app/${commandName(name)}`])}`,
    ],
  }
}

const MODULES = `${OUT_FOLDER}/go`

/** Downloads everything that is needed, and makes Go only print what it would run. */
const FETCH = `set -e
mkdir -p /app ${OUT_FOLDER}
read -r package < /build/package
go install -n -- "$package"
echo '${INSTALL_MARK}'
`

const INSTALL = `set -e
read -r package < /build/package
exec go install -- "$package"
`

/** The last element of the path without a major version suffix: `go install` names the binary like that. */
function commandName(path: string): string {
  const parts = path.split('/')
  const last = parts.at(-1) ?? path
  return /^v[0-9]+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last
}
