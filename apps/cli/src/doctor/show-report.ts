import type { DoctorCheck, DoctorReport } from '@toolhaven/contract/doctor'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

const MARKS = { ok: '✓', info: '·', warning: '!', failed: '✗' } as const

/** Prints the findings, each with its fix below. */
export function showReport(out: Output, { machine, workloads, grade }: DoctorReport): void {
  showChecks(out, `This machine: ${machine.grade}`, machine.checks)
  for (const { name, grade: own, checks } of workloads) showChecks(out, `${name}: ${own}`, checks)
  out.line(
    `${out.colour.bold(`Grade ${grade}`)} (A no findings, B warnings, C one failed, D several, F does not work or is not confined)`,
  )
}

function showChecks(out: Output, title: string, checks: readonly DoctorCheck[]): void {
  const paint = { ok: out.colour.green, info: out.colour.dim, warning: out.colour.yellow, failed: out.colour.red }
  out.line(out.colour.bold(printable(title)))
  for (const { check, status, found, fix } of checks) {
    out.line(`  ${paint[status](MARKS[status])} ${check.padEnd(18)}${printable(found)}`)
    if (fix !== undefined) out.line(`    ${' '.repeat(18)}→ ${printable(fix)}`)
  }
  out.line('')
}
