import { BUILD_LABEL, CA_FOLDER, RUN_AS, type Template } from './template.ts'

/** A static binary in an otherwise empty image. Go reads every folder of SSL_CERT_DIR besides the system's bundle. */
export const renderGo: Template = ({ name, version, from, hasCa, buildId }) => {
  const trust = hasCa ? [`ENV SSL_CERT_DIR=/etc/ssl/certs:${CA_FOLDER}`] : []
  const dockerfile = [
    `FROM ${from} AS build`,
    `LABEL ${BUILD_LABEL}="${buildId}"`,
    'USER 0:0',
    ...(hasCa ? [`COPY ca.pem ${CA_FOLDER}/ca.pem`] : []),
    ...trust,
    'ARG GOPROXY',
    'ARG GOPRIVATE',
    'ARG GONOSUMDB',
    'ENV GOBIN=/out CGO_ENABLED=0 GOFLAGS=-trimpath',
    `RUN ${JSON.stringify(['go', 'install', `${name}@${version}`])}`,
    '',
    'FROM scratch',
    'COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt',
    ...(hasCa ? [`COPY --from=build ${CA_FOLDER} ${CA_FOLDER}`] : []),
    ...trust,
    'COPY --from=build /out/ /app/',
    'ENV HOME=/tmp',
    'WORKDIR /app',
    `USER ${RUN_AS}`,
    `ENTRYPOINT ${JSON.stringify([`/app/${commandName(name)}`])}`,
    '',
  ].join('\n')
  return { dockerfile, files: {} }
}

/** The last element of the path, a major version suffix left aside: how `go install` names the binary. */
function commandName(path: string): string {
  const parts = path.split('/')
  const last = parts.at(-1) ?? path
  return /^v[0-9]+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last
}
