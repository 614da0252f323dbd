import { useQuery } from '@tanstack/react-query'
import { groupsQuery } from '../queries.ts'
import { FieldProblems } from './FieldProblems.tsx'

/** Which clients see the server. A group that does not exist stays in the list: the daemon says what is wrong with it. */
export function GroupField({ group, onChange }: { group: string; onChange: (group: string) => void }) {
  const { data: groups = [] } = useQuery(groupsQuery)
  const known = groups.length > 0 ? groups.map(({ name }) => name) : ['default']
  const names = known.includes(group) ? known : [group, ...known]
  return (
    <>
      <label className="field">
        Group
        <select value={group} onChange={(event) => onChange(event.target.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <FieldProblems fields={['group']} />
    </>
  )
}
