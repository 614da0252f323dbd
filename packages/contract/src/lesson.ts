import * as z from 'zod'
import { workloadName } from './names.ts'
import { permissionProfile } from './permission-profile.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'

const sighted = {
  host: z.string().meta({ description: 'Name or address that the server asked for' }),
  port: z.int().meta({ description: '0: it asked DNS for the name and was refused, so nobody knows the port' }),
  count: z.int().meta({ description: 'How often it was asked for' }),
  first_seen: z.iso.datetime().meta({ description: 'When it was first asked for' }),
  last_seen: z.iso.datetime().meta({ description: 'When it was last asked for' }),
}

export const evidence = z
  .strictObject({
    ...sighted,
    blocked: z.int().meta({ description: 'How often of these it was refused, because no list names it' }),
    speaks: z
      .array(z.enum(['http', 'http-tunnel', 'tls', 'other']))
      .meta({ description: 'What went there; empty: nothing yet' }),
    paths: z
      .array(z.string())
      .meta({ description: 'Of plain HTTP, the first of each connection, without queries; TLS shows none' }),
  })
  .meta({
    id: 'toolhaven.evidence',
    description: 'A place that a workload used, and that the profile therefore allows',
  })
export type Evidence = z.infer<typeof evidence>

export const leftOut = z
  .strictObject({ ...sighted, reason: z.string().meta({ description: 'Why the profile does not allow it' }) })
  .meta({
    id: 'toolhaven.leftOut',
    description: 'A place that a workload asked for, and that the profile does not allow',
  })
export type LeftOut = z.infer<typeof leftOut>

export const lesson = z
  .strictObject({
    name: workloadName,
    mode: z
      .enum(['enforce', 'observe'])
      .meta({ description: 'What was in force: its own profile, or every public host while it is observed' }),
    since: z.iso.datetime().meta({ description: 'Since when its connections are recorded' }),
    permission_profile: permissionProfile.meta({ description: 'The profile' }),
    evidence: z.array(evidence).meta({ description: 'Why each line is in the profile' }),
    left_out: z.array(leftOut).meta({ description: 'What the profile does not allow, and why' }),
    notes: z.array(z.string()).meta({ description: 'What you need to know before you apply the profile' }),
  })
  .meta({ id: 'toolhaven.lesson', description: 'The smallest profile that would have worked, and why' })
export type Lesson = z.infer<typeof lesson>

export const applyLessonRequest = z
  .strictObject({
    permission_profile: permissionProfile
      .optional()
      .meta({ description: 'The profile as it was shown: when it would be another by now, nothing is changed' }),
  })
  .meta({ id: 'toolhaven.applyLessonRequest', description: 'The profile to put in force' })

const params = z.strictObject({ name: workloadName })
const tag = 'workloads'
const exampleProfile = { network: { outbound: { allow_host: ['api.example.com'], allow_port: [443] } } }
const example = {
  name: 'weather',
  mode: 'observe',
  since: '2026-01-15T09:30:00Z',
  permission_profile: exampleProfile,
  evidence: [
    {
      ...{ host: 'api.example.com', port: 443, count: 12, blocked: 0, speaks: ['tls'], paths: [] },
      ...{ first_seen: '2026-01-15T09:30:04Z', last_seen: '2026-01-15T09:41:50Z' },
    },
  ],
  left_out: [],
  notes: [],
}
const nothingKnown = 'nothing was seen of it, or nothing of it runs here'

export const lessonRoutes = {
  getLesson: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/lesson`,
    tag,
    summary: 'See the smallest profile that would have worked',
    description:
      'Made from the connections that the workload asked for. With network_isolation_mode "observe" it may reach every public ' +
      'host, and the profile has what it used. With a list in force the profile has that list, and what it blocked.',
    params,
    success: ok(lesson, 'The profile, with the evidence for each line', example),
    errors: { ...noWorkload, 409: { when: nothingKnown, example: 'docs is a remote server: nothing of it runs here' } },
    extension: true,
  },
  applyLesson: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/lesson/apply`,
    tag,
    summary: 'Put the smallest profile that would have worked in force',
    description:
      'Edits the workload: this permission_profile, network_isolation, and no longer observed. It is restarted.',
    params,
    body: applyLessonRequest,
    bodyExample: { permission_profile: exampleProfile },
    success: ok(lesson, 'What was put in force', example),
    errors: {
      ...noWorkload,
      409: {
        when: `${nothingKnown}, or the profile would be another by now`,
        example: 'everything asked for other places since the profile was shown; look at it again',
      },
    },
    extension: true,
  },
} as const satisfies Routes
