import {
  CA_FOLDER,
  CONFIG_FOLDER,
  INSTALL_FILE,
  INSTALL_MARK,
  OUT_FOLDER,
  RUN_AS,
  takeResult,
  type Template,
} from './template.ts'

/** A virtual environment. The name of the package appears only in requirements.txt. */
export const renderUvx: Template = ({ name, version, from, hasCa }) => {
  const bundle = `${CA_FOLDER}/ca-bundle.pem`
  const made = `${OUT_FOLDER}/ca-bundle.pem`
  const trust: Record<string, string> = hasCa ? { PIP_CERT: made, SSL_CERT_FILE: made, REQUESTS_CA_BUNDLE: made } : {}
  return {
    files: {
      'requirements.txt': `${name}==${version}\n`,
      'fetch.py': FETCH,
      'install.py': INSTALL,
      'wheels_only.py': WHEELS_ONLY,
      'link_command.py': LINK_COMMAND,
      ...(hasCa && { 'merge_ca.py': MERGE_CA }),
    },
    config: 'pip.conf',
    variables: [],
    fetch: {
      command: ['python3', '-I', '/build/fetch.py'],
      env: { ...trust, ...QUIET, PIP_CONFIG_FILE: `${CONFIG_FOLDER}/pip.conf`, HOME: '/tmp' },
    },
    install: {
      command: ['python3', '-I', '/build/install.py'],
      env: { ...trust, ...QUIET, PIP_CONFIG_FILE: `${OUT_FOLDER}/pip.conf`, HOME: '/tmp' },
    },
    image: ({ fetched, installed }) => [
      `FROM ${from}`,
      takeResult(installed),
      ...(hasCa
        ? [`COPY --from=${fetched} ${made} ${bundle}`, `ENV SSL_CERT_FILE=${bundle} REQUESTS_CA_BUNDLE=${bundle}`]
        : []),
      'ENV HOME=/tmp PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1',
      'WORKDIR /app',
      `USER ${RUN_AS}`,
      'ENTRYPOINT ["/app/command"]',
    ],
  }
}

const QUIET = { PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_CACHE_DIR: '1', PIP_ROOT_USER_ACTION: 'ignore' }

/**
 * Only wheels: unpacking them runs none of their code. Whatever has to be built is left to the next step, which gets
 * the user's configuration if it contains no credentials. pip runs from a copy, because wheels can overwrite the one in
 * the environment.
 */
const FETCH = `import glob, os, re, runpy, shutil, subprocess, sys

os.makedirs("${OUT_FOLDER}", exist_ok=True)
if subprocess.run([sys.executable, "-m", "venv", "/app"]).returncode != 0:
    sys.exit(1)
if os.path.exists("/build/merge_ca.py") and subprocess.run(["/app/bin/python", "/build/merge_ca.py"]).returncode != 0:
    sys.exit(1)
config = os.environ["PIP_CONFIG_FILE"]
settings = open(config).read() if os.path.exists(config) else ""
[pip] = glob.glob("/app/lib/python*/site-packages/pip")
shutil.copytree(pip, "/build/own/pip")
if subprocess.run(["/app/bin/python", "-I", "/build/wheels_only.py"]).returncode == 0:
    runpy.run_path("/build/link_command.py")
elif re.search(r"://[^/\\s]*@|[\\s=][^/\\s@:=]+:[^/\\s@]+@", settings):
    sys.exit("Packages that have to be built from source are refused, because the package index needs credentials.")
else:
    with open("${OUT_FOLDER}/pip.conf", "w") as out:
        out.write(settings)
    open("${INSTALL_FILE}", "w").close()
    print("${INSTALL_MARK}")
`

/**
 * pip builds a dependency that is the address of a source archive, even if it may only use wheels. A build has to start
 * programs. The one that may be started tells which version of musl the base image has.
 */
const WHEELS_ONLY = `import os, runpy, sys
from importlib.machinery import PathFinder

class OwnPip:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, ["/build/own"], target) if name == "pip" else None

def refuse(event, args):
    is_loader = event == "subprocess.Popen" and os.path.basename(str(args[0])).startswith("ld-musl-")
    if event in PROGRAMS and not is_loader:
        raise PermissionError("only wheels are fetched, and a program would have to be started for something else")

PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn"}
sys.meta_path.insert(0, OwnPip)
sys.addaudithook(refuse)
sys.argv = ["pip", "install", "--quiet", "--only-binary", ":all:", "-r", "/build/requirements.txt"]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`

const INSTALL = `import os, runpy, subprocess, sys

if os.path.exists("${INSTALL_FILE}"):
    os.remove("${INSTALL_FILE}")
    pip = ["/app/bin/python", "-m", "pip", "install", "--quiet", "-r", "/build/requirements.txt"]
    if subprocess.run(pip).returncode != 0:
        sys.exit(1)
    runpy.run_path("/build/link_command.py")
`

/**
 * Chooses the command as uvx does: the one named like the package. A package with only one command works too. It does
 * not run on the environment's Python, which runs code of packages when it starts.
 */
const LINK_COMMAND = `import glob, os, re, sys
from importlib.metadata import distributions

name = open("/build/requirements.txt").read().split("==")[0]
normal = lambda text: re.sub(r"[-_.]+", "-", text).lower()
found = [d for d in distributions(path=glob.glob("/app/lib/python*/site-packages")) if normal(d.metadata["Name"] or "") == normal(name)]
scripts = sorted({e.name for d in found for e in d.entry_points if e.group == "console_scripts"})
chosen = next((s for s in scripts if normal(s) == normal(name)), scripts[0] if len(scripts) == 1 else None)
if chosen is None:
    sys.exit(f"{name} has several commands and none is its name: {', '.join(scripts)}" if scripts else f"{name} has no command")
os.symlink(f"bin/{chosen}", "/app/command")
`

/** OpenSSL accepts one bundle, so the configured certificate is added to those that the base image trusts. */
const MERGE_CA = `import os, ssl
from pip._vendor import certifi

paths = [certifi.where(), ssl.get_default_verify_paths().cafile, "/etc/ssl/certs/ca-certificates.crt", "/build/ca.pem"]
texts = [open(p).read() for p in dict.fromkeys(paths) if p and os.path.exists(p)]
with open("${OUT_FOLDER}/ca-bundle.pem", "w") as out:
    out.write("\\n".join(texts))
`
