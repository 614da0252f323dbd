import { Link, type LinkProps } from '@tanstack/react-router'
import type { Workload } from '@toolhaven/contract/workloads'
import { type Fix, fixOf } from './fix-of.ts'
import { useLifecycle } from './use-lifecycle.ts'

/** The button that fixes a server's problem, if there is one. */
export function FixButton({ server }: { server: Pick<Workload, 'name' | 'status' | 'status_context'> }) {
  const lifecycle = useLifecycle()
  const fix = fixOf(server)
  if (fix === undefined) return null
  if (fix.kind === 'log-in')
    return (
      <a className="button small" href={fix.address} target="_blank" rel="noreferrer">
        {fix.label}
        <span className="only-read-aloud"> to {server.name}, in a new tab</span>
      </a>
    )
  if (fix.kind === 'restart')
    return (
      <button
        type="button"
        className="small"
        disabled={lifecycle.isPending}
        onClick={() => lifecycle.mutate({ verb: 'restart', names: [server.name] })}
      >
        {fix.label}
        <span className="only-read-aloud"> {server.name}</span>
      </button>
    )
  const { link, aloud } = wayTo(fix, server.name)
  return (
    <Link {...link} className="button small">
      {fix.label}
      <span className="only-read-aloud"> {aloud}</span>
    </Link>
  )
}

/** Where a person puts it right, and what is said of it besides the label. */
function wayTo(
  fix: Exclude<Fix, { kind: 'log-in' | 'restart' }>,
  name: string,
): { link: Pick<LinkProps, 'to' | 'params' | 'search'>; aloud: string } {
  const params = { name }
  switch (fix.kind) {
    case 'review':
      return { link: { to: '/servers/$name/tools', params }, aloud: `the changed tools of ${name}` }
    case 'allow':
      return { link: { to: '/servers/$name/network', params }, aloud: `that ${name} was refused` }
    case 'store':
      return { link: { to: '/secrets', search: { key: fix.secret } }, aloud: `for ${name}` }
    case 'fill-in':
      return {
        link: { to: '/servers/$name/edit', params, search: { add: fix.variable } },
        aloud: `to ${name}`,
      }
  }
}
