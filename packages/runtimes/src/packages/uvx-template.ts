import { BUILD_LABEL, CA_FOLDER, RUN_AS, type Template } from './template.ts'

/** A virtual environment made in one stage, with the user's pip configuration, and copied to a fresh one. */
export const renderUvx: Template = ({ name, version, from, hasCa, buildId }) => {
  const bundle = `${CA_FOLDER}/ca-bundle.pem`
  const dockerfile = [
    `FROM ${from} AS build`,
    `LABEL ${BUILD_LABEL}="${buildId}"`,
    'USER 0:0',
    'ENV PIP_CONFIG_FILE=/build/pip.conf PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore',
    'RUN ["python3", "-m", "venv", "/app"]',
    'COPY pip.conf requirements.txt link_command.py /build/',
    ...(hasCa
      ? [
          `COPY ca.pem ${CA_FOLDER}/ca.pem`,
          'COPY merge_ca.py /build/',
          'RUN ["/app/bin/python", "/build/merge_ca.py"]',
          `ENV PIP_CERT=${bundle} SSL_CERT_FILE=${bundle} REQUESTS_CA_BUNDLE=${bundle}`,
        ]
      : []),
    'RUN ["/app/bin/python", "-m", "pip", "install", "--quiet", "-r", "/build/requirements.txt"]',
    'RUN ["/app/bin/python", "/build/link_command.py"]',
    '',
    `FROM ${from}`,
    'COPY --from=build /app /app',
    ...(hasCa
      ? [`COPY --from=build ${CA_FOLDER} ${CA_FOLDER}`, `ENV SSL_CERT_FILE=${bundle} REQUESTS_CA_BUNDLE=${bundle}`]
      : []),
    'ENV HOME=/tmp PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1',
    'WORKDIR /app',
    `USER ${RUN_AS}`,
    'ENTRYPOINT ["/app/command"]',
    '',
  ].join('\n')
  const files = {
    'requirements.txt': `${name}==${version}\n`,
    'link_command.py': LINK_COMMAND,
    ...(hasCa ? { 'merge_ca.py': MERGE_CA } : {}),
  }
  return { dockerfile, files }
}

/** Chooses the command as uvx does: the one named like the package; a package with only one command is served too. */
const LINK_COMMAND = `import os, re, sys
from importlib.metadata import distribution

name = open("/build/requirements.txt").read().split("==")[0]
normal = lambda text: re.sub(r"[-_.]+", "-", text).lower()
scripts = sorted({e.name for e in distribution(name).entry_points if e.group == "console_scripts"})
chosen = next((s for s in scripts if normal(s) == normal(name)), scripts[0] if len(scripts) == 1 else None)
if chosen is None:
    sys.exit(f"{name} has several commands and none is its name: {', '.join(scripts)}" if scripts else f"{name} has no command")
os.symlink(f"bin/{chosen}", "/app/command")
`

/** OpenSSL takes one bundle, so the configured certificate joins those the base image trusts. */
const MERGE_CA = `import os, ssl
from pip._vendor import certifi

paths = [certifi.where(), ssl.get_default_verify_paths().cafile, "/etc/ssl/certs/ca-certificates.crt", "${CA_FOLDER}/ca.pem"]
texts = [open(p).read() for p in dict.fromkeys(paths) if p and os.path.exists(p)]
with open("${CA_FOLDER}/ca-bundle.pem", "w") as out:
    out.write("\\n".join(texts))
`
