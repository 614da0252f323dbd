import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { Code } from '../parts/Code.tsx'

export function AboutSection() {
  const { data: version = '…' } = useQuery({
    queryKey: ['version'],
    queryFn: async ({ signal }) => (await api.call('getVersion', {}, signal)).version,
  })
  return (
    <section className="panel" aria-label="About">
      <h2>About</h2>
      <dl className="facts">
        <dt>Version</dt>
        <dd>Toolhaven {version}</dd>
        <dt>Address</dt>
        <dd>
          <Code text={location.origin} label="Copy the address of the daemon" />
        </dd>
        <dt>API</dt>
        <dd>
          <a href="/api/openapi.json">OpenAPI document</a>
        </dd>
        <dt>Licence</dt>
        <dd>Apache License 2.0</dd>
      </dl>
    </section>
  )
}
