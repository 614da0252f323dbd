import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ClientPreview } from '@toolhaven/contract/clients'
import { ForeignText } from '../parts/ForeignText.tsx'
import { foreignQuery } from '../queries.ts'

/** The user's own entries. They may contain keys, so the daemon gives only their names. */
export function ForeignEntries({ preview: { client_type: client, files } }: { preview: ClientPreview }) {
  const { data: found } = useQuery(foreignQuery)
  const entries = files.flatMap(({ path, foreign }) => foreign.map((key) => ({ path, key })))
  if (entries.length === 0) return null
  const serverOf = (path: string, key: string) =>
    found?.servers.find(({ found_in: places }) =>
      places.some((place) => place.client_type === client && place.file === path && place.key === key),
    )
  return (
    <section className="panel" aria-label="Your own entries">
      <h2>Your own entries</h2>
      <p>They stay as they are. The client runs or reaches them without Toolhaven.</p>
      <ul className="plain-list">
        {entries.map(({ path, key }) => {
          const server = serverOf(path, key)
          return (
            <li key={`${path} ${key}`} className="attention">
              <b>
                <ForeignText text={key} />
              </b>
              {server?.becomes && (
                <Link to="/adopt">
                  Adopt<span className="only-read-aloud"> {server.name}</span>
                </Link>
              )}
              {server?.obstacle !== undefined && (
                <span className="reason">
                  It cannot be adopted: <ForeignText text={server.obstacle} />
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
