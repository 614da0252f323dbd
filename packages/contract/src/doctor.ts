import * as z from 'zod'
import { confinement } from './isolation.ts'
import { workloadName } from './names.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'

export const doctorCheck = z
  .strictObject({
    check: z.string().meta({ description: 'What was checked' }),
    status: z.enum(['ok', 'info', 'warning', 'failed']).meta({ description: 'Result of the check' }),
    found: z.string().meta({ description: 'What was found' }),
    fix: z.string().optional().meta({ description: 'The command that fixes it, or what to do' }),
  })
  .meta({ id: 'toolhaven.doctorCheck', description: 'One finding' })
export type DoctorCheck = z.infer<typeof doctorCheck>

export const doctorGrade = z.enum(['A', 'B', 'C', 'D', 'F']).meta({
  id: 'toolhaven.doctorGrade',
  description: 'A: no findings. B: warnings. C: one check failed. D: several failed. F: it does not work',
})
export type DoctorGrade = z.infer<typeof doctorGrade>

/** What `thv doctor --format json` prints. */
export const doctorReport = z
  .strictObject({
    grade: doctorGrade.meta({ description: 'The worst of all grades' }),
    machine: z
      .strictObject({
        grade: doctorGrade.meta({ description: 'Grade of the machine' }),
        checks: z.array(doctorCheck).meta({ description: 'What was found on the machine' }),
      })
      .meta({ description: 'What all workloads depend on' }),
    workloads: z
      .array(
        z.strictObject({
          name: workloadName.meta({ description: 'Name of the workload' }),
          grade: doctorGrade.meta({ description: 'Grade of the workload' }),
          checks: z.array(doctorCheck).meta({ description: 'What was found' }),
          protocol_version: z.string().optional().meta({ description: 'Negotiated MCP revision' }),
          tools: z.int().optional().meta({ description: 'Number of tools' }),
          estimated_tokens: z
            .int()
            .optional()
            .meta({ description: 'Estimate of the tokens that their definitions cost in each conversation' }),
          isolation: confinement.optional().meta({ description: 'How it is isolated' }),
        }),
      )
      .meta({ description: 'Each workload that should run, or the one that the request names' }),
  })
  .meta({ id: 'toolhaven.doctorReport', description: 'What is wrong, and how to fix it' })
export type DoctorReport = z.infer<typeof doctorReport>

export const doctorRoutes = {
  runDoctor: {
    method: 'GET',
    path: `${API_PREFIX}/doctor`,
    tag: 'system',
    summary: 'Check the machine and the workloads',
    description:
      'Runs the checks of thv doctor. It connects to each workload as a client would, so it can take a while.',
    query: z.strictObject({
      workload: workloadName.optional().meta({ description: 'Only this workload, and the machine' }),
    }),
    success: ok(doctorReport, 'What was found', {
      grade: 'A',
      machine: { grade: 'A', checks: [{ check: 'runtime', status: 'ok', found: 'docker 28.2.2 (Docker)' }] },
      workloads: [],
    }),
    errors: noWorkload,
    extension: true,
  },
} as const satisfies Routes
