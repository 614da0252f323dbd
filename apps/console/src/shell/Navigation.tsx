import { Link } from '@tanstack/react-router'
import { Icon } from './Icon.tsx'
import { type Place, PLACES } from './places.ts'

/** As many as a phone shows beside one another; the others are behind “More” there. */
const ON_A_PHONE = 4

export function Navigation() {
  const more = PLACES.slice(ON_A_PHONE)
  return (
    <nav className="navigation" aria-label="Main">
      <ul>
        {PLACES.map((place, at) => (
          <li key={place.to} className={at >= ON_A_PHONE ? 'wide-only' : ''}>
            <PlaceLink {...place} />
          </li>
        ))}
        {more.length > 0 && (
          <li className="narrow-only">
            <MoreMenu places={more} />
          </li>
        )}
      </ul>
    </nav>
  )
}

function PlaceLink({ to, label, icon }: Place) {
  return (
    <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
      <Icon name={icon} />
      {label}
    </Link>
  )
}

/** The browser's own popover: a menu of the component library would double what the first view loads. */
function MoreMenu({ places }: { places: readonly Place[] }) {
  return (
    <>
      <button type="button" className="more" popoverTarget="more-places">
        <Icon name="more" />
        More
      </button>
      <div id="more-places" popover="auto" className="menu more-places">
        {places.map((place) => (
          <PlaceLink key={place.to} {...place} />
        ))}
      </div>
    </>
  )
}
