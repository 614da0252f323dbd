import { invalid } from '@toolhaven/core/errors'
import { PORT } from './port.ts'
import { setSetting } from './setting.ts'

const LOWEST_FOR_ALL = 1024

export const configSetPort = setSetting(PORT, {
  args: [{ name: 'port', summary: 'from 1 to 65535', required: true }],
  more: 'If a daemon runs, "thv serve" restarts it.',
  examples: [
    { command: 'thv config set-port 9090', shows: 'the API is at http://localhost:9090 from the next start on' },
  ],
  change: ([text = ''], { out, env }) => {
    const port = Number(text)
    if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
      throw invalid(`the port must be a number from 1 to 65535, not "${text}"`)
    if (port < LOWEST_FOR_ALL)
      out.note(
        `Warning: on most systems only root may listen on a port below ${LOWEST_FOR_ALL}. If the daemon cannot, thv still works, but other programs do not reach the API.`,
      )
    const { THV_PORT: ofShell } = env
    out.note(
      ofShell
        ? `THV_PORT is ${ofShell} in this shell and takes precedence. To use the new port, unset it and run "thv serve".`
        : 'A daemon that runs keeps its port until "thv serve" restarts it.',
    )
    return { api_port: port }
  },
})
