import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
for (const file of globSync('tools/generate-*.ts', { cwd: root }).toSorted()) {
  console.log(file)
  const { status } = spawnSync(process.execPath, [path.join(root, file)], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
