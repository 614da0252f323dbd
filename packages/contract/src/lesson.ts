import * as z from 'zod'
import { workloadName } from './names.ts'
import { permissionProfile } from './permission-profile.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'

const sighted = {
  host: z.string().meta({ description: 'Name or address that the server asked for' }),
  port: z.int().meta({ description: 'Port, or 0 if the port is unknown because DNS already refused the name' }),
  count: z.int().meta({ description: 'Number of attempts' }),
  first_seen: z.iso.datetime().meta({ description: 'Time of the first attempt' }),
  last_seen: z.iso.datetime().meta({ description: 'Time of the last attempt' }),
}

export const evidence = z
  .strictObject({
    ...sighted,
    blocked: z.int().meta({ description: 'Number of attempts that were refused because no list names it' }),
    speaks: z
      .array(z.enum(['http', 'http-tunnel', 'tls', 'other']))
      .meta({ description: 'Protocols that were seen; empty if nothing was sent yet' }),
    paths: z
      .array(z.string())
      .meta({ description: 'First path of each plain HTTP connection, without the query. TLS hides paths' }),
  })
  .meta({
    id: 'toolhaven.evidence',
    description: 'A host and port that a workload used, and that the profile therefore allows',
  })
export type Evidence = z.infer<typeof evidence>

export const leftOut = z
  .strictObject({ ...sighted, reason: z.string().meta({ description: 'Why the profile does not allow it' }) })
  .meta({
    id: 'toolhaven.leftOut',
    description: 'A host and port that a workload tried to reach, and that the profile does not allow',
  })
export type LeftOut = z.infer<typeof leftOut>

export const lesson = z
  .strictObject({
    name: workloadName,
    mode: z
      .enum(['enforce', 'observe'])
      .meta({ description: 'enforce: its own profile was in force. observe: every public host was allowed' }),
    since: z.iso.datetime().meta({ description: 'When recording of its connections began' }),
    permission_profile: permissionProfile.meta({ description: 'The profile' }),
    evidence: z.array(evidence).meta({ description: 'Evidence for each line of the profile' }),
    left_out: z.array(leftOut).meta({ description: 'What the profile does not allow, and why' }),
    notes: z.array(z.string()).meta({ description: 'What you need to know before you apply the profile' }),
  })
  .meta({ id: 'toolhaven.lesson', description: 'The smallest profile that would have worked, and why' })
export type Lesson = z.infer<typeof lesson>

export const applyLessonRequest = z
  .strictObject({
    permission_profile: permissionProfile
      .optional()
      .meta({ description: 'The profile that you saw. If it has changed since, the request is refused' }),
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
const nothingKnown = 'it has made no connections yet, or it is a remote server'

export const lessonRoutes = {
  getLesson: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/lesson`,
    tag,
    summary: 'See the smallest profile that would have worked',
    description:
      'Derived from the connections that the workload tried to open. With network_isolation_mode "observe" it may reach every public ' +
      'host, and the profile lists what it used. With a list in force, the profile has that list plus what it blocked.',
    params,
    success: ok(lesson, 'The profile, with the evidence for each line', example),
    errors: {
      ...noWorkload,
      409: { when: nothingKnown, example: 'docs is a remote server, so its connections cannot be recorded' },
    },
    extension: true,
  },
  applyLesson: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/lesson/apply`,
    tag,
    summary: 'Put the smallest profile that would have worked in force',
    description: 'Sets permission_profile and network_isolation, ends the observe mode and restarts the workload.',
    params,
    body: applyLessonRequest,
    bodyExample: { permission_profile: exampleProfile },
    success: ok(lesson, 'What was put in force', example),
    errors: {
      ...noWorkload,
      409: {
        when: `${nothingKnown}, or the profile has changed since you read it`,
        example: 'everything has tried to reach other hosts since you read the profile; read it again',
      },
    },
    extension: true,
  },
} as const satisfies Routes
