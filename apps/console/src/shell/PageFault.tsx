import { Link } from '@tanstack/react-router'
import { messageOf } from '../api.ts'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'

/** A page that cannot be shown says why in the words of whatever failed. */
export function PageFault({ error, reset }: { error: unknown; reset?: () => void }) {
  return (
    <>
      <PageTitle title="This page cannot be shown" />
      <Problem message={messageOf(error)} />
      {reset && (
        <button type="button" onClick={reset}>
          Try again
        </button>
      )}
    </>
  )
}

export function NoSuchPage() {
  return (
    <>
      <PageTitle title="There is no such page" />
      <p>
        This address does not exist. Go to <Link to="/">Home</Link> or see <Link to="/servers">all servers</Link>.
      </p>
    </>
  )
}
