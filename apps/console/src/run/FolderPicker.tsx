import { queryOptions, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, messageOf } from '../api.ts'
import { ForeignText } from '../parts/ForeignText.tsx'
import { Problem } from '../parts/Problem.tsx'

/** Folders come and go without an event. */
const foldersQuery = (path: string) =>
  queryOptions({
    queryKey: ['folders', path],
    queryFn: ({ signal }) => api.call('listFolders', { query: path === '' ? {} : { path } }, signal),
    staleTime: 0,
  })

/** Chooses a folder of the home folder, level by level, and gives its line for the field. */
export function FolderPicker({ onChoose }: { onChoose: (line: string) => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Choose a folder</summary>
      {isOpen && (
        <Levels
          onChoose={(line) => {
            setOpen(false)
            onChoose(line)
          }}
        />
      )}
    </details>
  )
}

function Levels({ onChoose }: { onChoose: (line: string) => void }) {
  const id = useId()
  const [way, setWay] = useState<readonly string[]>([])
  const [mayWrite, setMayWrite] = useState(false)
  const { data, error } = useQuery(foldersQuery(way.join('/')))
  const last = way.at(-1)
  return (
    <div className="folder-picker">
      {error && <Problem message={messageOf(error)} />}
      <p id={id}>
        <code>
          <ForeignText text={data?.path ?? way.join('/')} />
        </code>
      </p>
      <ul className="folders" aria-labelledby={id}>
        {data?.folders.map((name) => (
          <li key={name}>
            <button type="button" className="small quiet" onClick={() => setWay([...way, name])}>
              <ForeignText text={name} />
            </button>
          </li>
        ))}
      </ul>
      {data?.folders.length === 0 && <p className="muted">It has no folders that can be listed.</p>}
      <label className="choice-line">
        <input type="checkbox" checked={mayWrite} onChange={({ target }) => setMayWrite(target.checked)} />
        The server may change its contents
      </label>
      <div className="actions">
        <button
          type="button"
          className="small"
          disabled={!data || last === undefined}
          onClick={() => data && last !== undefined && onChoose(lineOf(data.path, last, mayWrite))}
        >
          {last === undefined ? 'Use this folder' : `Use ${last}`}
        </button>
        {last !== undefined && (
          <button type="button" className="small quiet" onClick={() => setWay(way.slice(0, -1))}>
            Up
          </button>
        )}
      </div>
    </div>
  )
}

/** As a person would write it. What a path may not hold inside is left out of the name there. */
function lineOf(path: string, name: string, mayWrite: boolean): string {
  const inside = name.replaceAll(/[^\w.-]+/g, '-')
  return `${path}:/folders/${inside}${mayWrite ? '' : ':ro'}`
}
