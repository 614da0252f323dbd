import '../css/tools.css'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, getRouteApi } from '@tanstack/react-router'
import { messageOf } from '../api.ts'
import { Problem } from '../parts/Problem.tsx'
import { toolLockQuery, workloadQuery } from '../queries.ts'
import { ToolChanges } from './ToolChanges.tsx'
import { ToolSwitches } from './ToolSwitches.tsx'
import { listTools } from './tool-list.ts'

export const Route = createLazyRoute('/servers/$name/tools')({ component: ToolsTab })
const here = getRouteApi('/servers/$name/tools')

function ToolsTab() {
  const { name } = here.useParams()
  const { data: server } = useQuery(workloadQuery(name))
  const { data: lock, error } = useQuery(toolLockQuery(name))
  if (error && !lock) return <Problem message={messageOf(error)} />
  if (!lock || !server) return <p className="muted">Asking the daemon …</p>
  const inForce = JSON.stringify([server.tools.toSorted(), server.tools_override])
  return (
    <>
      {lock.changes.length > 0 && <ToolChanges lock={lock} />}
      {/* What is chosen here begins again when somebody else changes what is in force. */}
      <ToolSwitches key={inForce} server={server} tools={listTools(lock.tools)} />
    </>
  )
}
