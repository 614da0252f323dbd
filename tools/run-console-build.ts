import { buildConsole, isConsoleFresh } from './console-build.ts'

// `npm start` builds it only when something in it changed.
if (!process.argv.includes('--if-needed') || !isConsoleFresh()) {
  console.log('Building the console; this takes a minute …')
  await buildConsole()
}
