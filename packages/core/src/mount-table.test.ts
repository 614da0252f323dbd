import { expect, test } from 'vitest'
import { parseMountTable } from './mount-table.ts'

test('a mount table is read with optional fields and escaped names', () => {
  const table = [
    '64 42 0:39 /newroot / ro,nosuid - tmpfs tmpfs rw',
    String.raw`65 64 8:1 /home/a\040b /in\134side rw shared:1 master:2 - ext4 /dev/sda1 rw`,
    '',
  ].join('\n')
  expect(parseMountTable(table)).toEqual([
    { number: '64', root: '/newroot', target: '/', type: 'tmpfs' },
    { number: '65', root: '/home/a b', target: String.raw`/in\side`, type: 'ext4' },
  ])
})
