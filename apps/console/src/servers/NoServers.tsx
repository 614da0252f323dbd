import { Link } from '@tanstack/react-router'

/** The ways to a first server. */
export function NoServers() {
  return (
    <section className="panel" aria-label="Start here">
      <h2>No servers yet</h2>
      <div className="actions">
        <Link to="/registry" className="button primary">
          Find one in the registry
        </Link>
        <Link to="/run" className="button">
          Run a package, an image or a remote server
        </Link>
      </div>
      <p>
        Servers that your clients run already can move into isolation: <Link to="/adopt">adopt them</Link>.
      </p>
    </section>
  )
}
