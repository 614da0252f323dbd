import { getRouteApi, Link } from '@tanstack/react-router'
import { ForeignText } from '../parts/ForeignText.tsx'
import { SearchField } from '../parts/SearchField.tsx'
import type { Offer } from './offers.ts'

const here = getRouteApi('/servers/$name/try')

const HEADINGS = { tool: 'Tools', resource: 'Resources', template: 'Resource templates', prompt: 'Prompts' } as const
const KINDS = ['tool', 'resource', 'template', 'prompt'] as const

/** What can be tried, by kind. */
export function OfferList({ server, offers }: { server: string; offers: readonly Offer[] }) {
  const { q = '' } = here.useSearch()
  const navigate = here.useNavigate()
  const wanted = q.trim().toLowerCase()
  const found = offers.filter((offer) =>
    [offer.id, offer.title, offer.description].some((text) => text?.toLowerCase().includes(wanted)),
  )
  const search = (text: string) =>
    navigate({
      search: (before) => ({ ...before, q: text || undefined }),
      state: true,
      replace: true,
      resetScroll: false,
    })
  return (
    <nav className="offers" aria-label={`What ${server} offers`}>
      <div className="filters">
        <SearchField text={q} onSearch={search} />
      </div>
      {offers.length === 0 && <p className="muted">This server offers nothing to clients.</p>}
      {offers.length > 0 && found.length === 0 && <p className="muted">Nothing matches “{q}”.</p>}
      {KINDS.map((kind) => {
        const ofKind = found.filter((offer) => offer.kind === kind)
        if (ofKind.length === 0) return null
        return (
          <section key={kind} aria-label={HEADINGS[kind]}>
            <h2>
              {HEADINGS[kind]} <span className="muted">{ofKind.length}</span>
            </h2>
            <ul className="plain-list">
              {ofKind.map((offer) => (
                <li key={offer.id}>
                  <OfferLink server={server} offer={offer} q={q} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </nav>
  )
}

function OfferLink({ server, offer: { kind, id, title }, q }: { server: string; offer: Offer; q: string }) {
  return (
    <Link
      to="/servers/$name/try"
      params={{ name: server }}
      search={{ [kind]: id, ...(q !== '' && { q }) }}
      activeOptions={{ exact: true, includeSearch: true }}
      resetScroll={false}
    >
      <ForeignText text={id} />
      {title !== undefined && title !== id && (
        <span className="muted">
          <ForeignText text={title} />
        </span>
      )}
    </Link>
  )
}
