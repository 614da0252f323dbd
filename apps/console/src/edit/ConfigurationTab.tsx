import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi, Link } from '@tanstack/react-router'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'
import { configurationFacts } from './configuration-facts.ts'
import { editBaseQuery } from './edit-queries.ts'
import { UndoNotice } from './UndoNotice.tsx'

export const Route = createLazyRoute('/servers/$name/configuration')({ component: ConfigurationTab })
const here = getRouteApi('/servers/$name/configuration')

/** The configuration in force, and a link to change it. */
function ConfigurationTab() {
  const { name } = here.useParams()
  const { data: base, error } = useQuery(editBaseQuery(name))
  if (!base) return error ? <Problem message={messageOf(error)} /> : <p className="muted">Asking the daemon …</p>
  return (
    <>
      <UndoNotice key={base.revision} base={base} />
      <section className="panel" aria-label="Configuration">
        <div className="actions">
          <Link to="/servers/$name/edit" params={{ name }} className="button primary">
            Edit
          </Link>
        </div>
        <dl className="facts">
          {configurationFacts(base.details).map(({ label, lines }) => (
            <div key={label} className="fact">
              <dt>
                <ForeignText text={label} />
              </dt>
              <dd>
                <ul>
                  {lines.map((line) => (
                    <li key={line}>
                      <ForeignText text={line} />
                    </li>
                  ))}
                </ul>
              </dd>
            </div>
          ))}
        </dl>
        <Code text={`thv export ${name}`} label="Copy the command that exports the configuration" />
      </section>
    </>
  )
}
