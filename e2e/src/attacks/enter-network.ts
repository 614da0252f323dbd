/**
 * Runs a program of Node in the network of another process: `node enter-network.ts PID PROGRAM…`. It takes this process over,
 * so that signals reach the program itself.
 */
const [pid = '', ...program] = process.argv.slice(2)
if (process.execve === undefined) throw new Error('this Node cannot replace a process')
process.execve(
  '/usr/bin/env',
  ['env', 'nsenter', `--net=/proc/${pid}/ns/net`, process.execPath, ...program],
  process.env,
)
