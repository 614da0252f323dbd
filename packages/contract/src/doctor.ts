import * as z from 'zod'
import { confinement } from './isolation.ts'
import { workloadName } from './names.ts'

export const doctorCheck = z.strictObject({
  check: z.string(),
  status: z.enum(['ok', 'info', 'warning', 'failed']),
  found: z.string(),
  /** The command that puts it right, or what to do. */
  fix: z.string().optional(),
})
export type DoctorCheck = z.infer<typeof doctorCheck>

export const doctorGrade = z.enum(['A', 'B', 'C', 'D', 'F'])
export type DoctorGrade = z.infer<typeof doctorGrade>

/** What `thv doctor --format json` prints. */
export const doctorReport = z.strictObject({
  grade: doctorGrade,
  machine: z.strictObject({ grade: doctorGrade, checks: z.array(doctorCheck) }),
  workloads: z.array(
    z.strictObject({
      name: workloadName,
      grade: doctorGrade,
      checks: z.array(doctorCheck),
      protocol_version: z.string().optional(),
      tools: z.int().optional(),
      estimated_tokens: z.int().optional(),
      isolation: confinement.optional(),
    }),
  ),
})
export type DoctorReport = z.infer<typeof doctorReport>
