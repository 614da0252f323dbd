import { Code } from '../parts/Code.tsx'

/** The ways to a first server. */
export function NoServers() {
  return (
    <section className="panel" aria-label="Start here">
      <h2>No servers yet</h2>
      <p>Run one from the registry in a terminal:</p>
      <Code text="thv run everything" label="Copy the command" />
      <p>Servers that your clients run already can move into isolation:</p>
      <Code text="thv adopt" label="Copy the command for adopting" />
    </section>
  )
}
