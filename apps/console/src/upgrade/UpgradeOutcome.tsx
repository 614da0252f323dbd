import { Link } from '@tanstack/react-router'
import type { UpgradeResult } from '@toolhaven/contract/upgrades'
import { ForeignText } from '../parts/ForeignText.tsx'

/** How it ended: the new version, or the one before with the reason. */
export function UpgradeOutcome({ result }: { result: UpgradeResult }) {
  const { name, outcome, from = '', to = '', reason = '', last_lines: lines, tools_changed: tools } = result
  return (
    <section className={outcome === 'went-back' ? 'problem' : 'notice'} aria-label="Outcome">
      <p role="status">
        {outcome === 'upgraded' && (
          <>
            {name} runs <ForeignText text={to} /> now.
          </>
        )}
        {outcome === 'current' && `${name} has the newest version already.`}
        {outcome === 'went-back' && (
          <>
            <ForeignText text={to} /> did not start, so {name} is back at <ForeignText text={from} />:{' '}
            <ForeignText text={reason} />
          </>
        )}
      </p>
      {lines.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        <pre className="lines" aria-label="Last lines of its log" role="region" tabIndex={0}>
          <ForeignText text={lines.join('\n')} />
        </pre>
      )}
      {tools.length > 0 && (
        <p>
          Its tools differ from the ones you accepted:{' '}
          <ForeignText text={tools.map((tool) => `${tool.name} (${tool.kind})`).join(', ')} />.{' '}
          <Link to="/servers/$name/tools" params={{ name }}>
            Look at the changes
          </Link>
        </p>
      )}
    </section>
  )
}
