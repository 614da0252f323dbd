import type { DoctorCheck, DoctorGrade } from '@toolhaven/contract/doctor'

/** If one of these fails, the grade is F. */
const VITAL = new Set(['daemon', 'runtime', 'status', 'initialize', 'sandbox'])

/** A: no findings; B: warnings only; C: one check failed; D: several failed; F: it does not work, or nothing confines it. */
export function gradeOf(checks: readonly DoctorCheck[]): DoctorGrade {
  const failed = checks.filter(({ status }) => status === 'failed')
  if (failed.some(({ check }) => VITAL.has(check))) return 'F'
  if (failed.length > 1) return 'D'
  if (failed.length === 1) return 'C'
  return checks.some(({ status }) => status === 'warning') ? 'B' : 'A'
}

const ORDER: readonly DoctorGrade[] = ['A', 'B', 'C', 'D', 'F']

export function worstOf(grades: readonly DoctorGrade[]): DoctorGrade {
  return ORDER[Math.max(0, ...grades.map((grade) => ORDER.indexOf(grade)))] ?? 'F'
}
