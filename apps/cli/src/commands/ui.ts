import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const ui = defineCommand({
  words: 'ui',
  summary: 'Open the console in a browser',
  description:
    'Opens the console in your browser and prints its address. In the console you run servers, see why one failed and connect clients.\n\n' +
    'If the daemon requires a token (THV_API_TOKEN), the address logs your browser in. It works once, for 60 seconds. The ' +
    'login lasts 30 days; --log-out ends the logins of all browsers.',
  flags: {
    noOpen: { type: 'boolean', summary: 'only print the address' },
    logOut: { type: 'boolean', summary: 'end the logins of all browsers' },
    ...FORMAT_FLAG,
  },
  foreignOptions: {
    '--port': 'The console is at the port of the API: "thv config set-port PORT" changes it.',
    '-p': 'The console is at the port of the API: "thv config set-port PORT" changes it.',
  },
  examples: [
    { command: 'thv ui --no-open', shows: 'the address, for a browser of your choice' },
    { command: 'thv ui --log-out', shows: 'every browser must log in again' },
  ],
  run: async (context, { flags }) => {
    const { showConsole, logOut } = await import('../console/show-console.ts')
    await (flags.logOut ? logOut(context) : showConsole(context, flags))
  },
})
