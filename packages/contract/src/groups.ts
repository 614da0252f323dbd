import * as z from 'zod'
import { groupName } from './names.ts'
import { API_PREFIX, created, noContent, noGroup, ok, type Routes } from './route.ts'

export const group = z
  .strictObject({
    name: groupName,
    registered_clients: z.array(z.string()).meta({ description: 'Clients that get the servers of the group' }),
  })
  .meta({ id: 'groups.Group', description: 'A set of workloads' })
export type Group = z.infer<typeof group>

export const groupList = z
  .strictObject({ groups: z.array(group).meta({ description: 'The groups' }) })
  .meta({ id: 'v1.groupListResponse', description: 'Every group' })
export const createGroupRequest = z
  .strictObject({ name: groupName })
  .meta({ id: 'v1.createGroupRequest', description: 'A group to create' })
export const createGroupResponse = z
  .strictObject({ name: groupName })
  .meta({ id: 'v1.createGroupResponse', description: 'The group that was created' })

const params = z.strictObject({ name: groupName })
const tag = 'groups'

export const groupRoutes = {
  listGroups: {
    method: 'GET',
    path: `${API_PREFIX}/groups`,
    tag,
    summary: 'List groups',
    success: ok(groupList, 'Groups, sorted by name', { groups: [{ name: 'default', registered_clients: ['Cursor'] }] }),
  },
  createGroup: {
    method: 'POST',
    path: `${API_PREFIX}/groups`,
    tag,
    summary: 'Create a group',
    body: createGroupRequest,
    bodyExample: { name: 'research' },
    success: created(createGroupResponse, 'Created', { name: 'research' }),
    errors: { 409: { when: 'the group exists', example: 'group research already exists' } },
  },
  getGroup: {
    method: 'GET',
    path: `${API_PREFIX}/groups/{name}`,
    tag,
    summary: 'Get a group',
    params,
    success: ok(group, 'The group', { name: 'default', registered_clients: ['Cursor'] }),
    errors: noGroup,
  },
  deleteGroup: {
    method: 'DELETE',
    path: `${API_PREFIX}/groups/{name}`,
    tag,
    summary: 'Delete a group',
    description: 'Its workloads move to the default group, or are deleted with with-workloads=true.',
    params,
    query: z.strictObject({
      'with-workloads': z
        .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
        .optional()
        .meta({ description: 'Delete the workloads too, instead of moving them to the default group' }),
    }),
    success: noContent,
    errors: noGroup,
  },
} as const satisfies Routes
