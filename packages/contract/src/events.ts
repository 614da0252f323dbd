import * as z from 'zod'
import { workloadName } from './names.ts'
import { progress } from './progress.ts'
import { workloadStatus } from './workload-status.ts'

export const workloadEvent = z
  .strictObject({
    workload: workloadName,
    status: workloadStatus.or(z.literal('removed')).meta({ description: 'New status of the workload' }),
    status_context: z.string().meta({ description: 'Progress, or the reason for the status' }),
    progress: progress.optional().meta({ description: 'Present while the workload starts' }),
  })
  .meta({ id: 'toolhaven.workloadEvent', description: 'Data of an event named workload' })
export type WorkloadEvent = z.infer<typeof workloadEvent>

export const changeSubject = z.enum(['group', 'client', 'secret', 'registry', 'tools', 'isolation', 'settings'])

export const changeEvent = z
  .strictObject({
    about: changeSubject.meta({
      description:
        'tools: the tools of a workload, or which of them are accepted. isolation: what a workload reached or was refused',
    }),
    name: z
      .string()
      .optional()
      .meta({ description: 'Name of the group, client, secret or workload; absent if any of them may have changed' }),
  })
  .meta({ id: 'toolhaven.changeEvent', description: 'Data of an event named change: read the subject again' })
export type ChangeEvent = z.infer<typeof changeEvent>

export const gapEvent = z
  .strictObject({ missed: z.int().meta({ description: 'How many events were not sent' }) })
  .meta({
    id: 'toolhaven.gapEvent',
    description: 'Data of an event named gap: the reader fell behind and must reload what it shows',
  })
export type GapEvent = z.infer<typeof gapEvent>
