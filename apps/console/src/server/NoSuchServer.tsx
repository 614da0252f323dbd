import { Link } from '@tanstack/react-router'
import { PageTitle } from '../parts/PageTitle.tsx'

/** For an address of a server that was removed or never was. */
export function NoSuchServer({ name }: { name: string }) {
  return (
    <>
      <PageTitle title="No such server" />
      <p>
        There is no server {name} any more. See <Link to="/servers">all servers</Link>.
      </p>
    </>
  )
}
