import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('follows the limit of open files', () => {
  const show = `import { maxOpenFiles } from '${import.meta.resolve('./waiting-limits.ts')}'; console.log(maxOpenFiles())`
  const limited = ['-c', 'ulimit -n 300; exec "$0" --input-type=module -e "$1"', process.execPath, show]
  expect(execFileSync('/bin/sh', limited, { encoding: 'utf8' }).trim()).toBe('300')
})
