import type { AdoptRequest, ForeignServer } from '@toolhaven/contract/adopt'
import { ChangedLines } from '../edit/ChangedLines.tsx'
import { clientTitle } from '@toolhaven/contract/client-titles'
import { Code } from '../parts/Code.tsx'
import { ForeignText } from '../parts/ForeignText.tsx'
import { adoptCommand, changedEntry, whatHappens } from './describe-adoption.ts'

/** What the button will do: to the server, to each file, and the command that does the same. */
export function AdoptPlan({ server, request }: { server: ForeignServer; request: AdoptRequest }) {
  return (
    <div className="notice" role="group" aria-label={`Plan for ${server.name}`}>
      <h3>What will happen</h3>
      <ul className="plain-list">
        {whatHappens(server).map((sentence) => (
          <li key={sentence}>
            <ForeignText text={sentence} />
          </li>
        ))}
      </ul>
      {server.found_in.map(({ client_type: client, file, key }) => (
        <figure key={`${file} ${key}`} className="file-change">
          <figcaption>
            {clientTitle(client)}:{' '}
            <code>
              <ForeignText text={file} />
            </code>
            , entry <ForeignText text={key} />
          </figcaption>
          <EntryChange server={server} />
        </figure>
      ))}
      <Code text={adoptCommand(request)} label={`Copy the command that adopts ${server.name}`} />
    </div>
  )
}

function EntryChange({ server }: { server: ForeignServer }) {
  const { before, after } = changedEntry(server)
  return (
    <div className="difference lines">
      <ChangedLines before={before} after={after} />
    </div>
  )
}
