import * as z from 'zod'
import { groupName } from './names.ts'
import { API_PREFIX, created, noContent, noGroup, ok, type Routes } from './route.ts'

export const group = z
  .strictObject({ name: groupName, registered_clients: z.array(z.string()) })
  .meta({ id: 'groups.Group' })
export type Group = z.infer<typeof group>

export const groupList = z.strictObject({ groups: z.array(group) }).meta({ id: 'v1.groupListResponse' })
export const createGroupRequest = z.strictObject({ name: groupName }).meta({ id: 'v1.createGroupRequest' })
export const createGroupResponse = z.strictObject({ name: groupName }).meta({ id: 'v1.createGroupResponse' })

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
      'with-workloads': z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).optional(),
    }),
    success: noContent,
    errors: noGroup,
  },
} as const satisfies Routes
