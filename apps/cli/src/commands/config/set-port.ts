import { invalid } from '@toolhaven/core/errors'
import { PORT } from './port.ts'
import { setSetting } from './setting.ts'

export const configSetPort = setSetting(PORT, {
  args: [{ name: 'port', summary: 'from 1 to 65535', required: true }],
  more: '"thv serve" starts the daemon again if one runs.',
  examples: [
    { command: 'thv config set-port 9090', shows: 'the API is at http://localhost:9090 from the next start on' },
  ],
  change: ([text = '']) => {
    const port = Number(text)
    if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
      throw invalid(`the port must be a number from 1 to 65535, not "${text}"`)
    return { api_port: port }
  },
})
