import { buildConsole, isConsoleFresh } from './console-build.ts'

// `npm start` builds it only when something in it changed.
if (!process.argv.includes('--if-needed') || !isConsoleFresh()) await buildConsole()
