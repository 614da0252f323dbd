import { spawn } from 'node:child_process'

/** Never through a shell: the address is one argument, whatever is in it. */
export function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  // Without such a program the address is on the screen all the same.
  child.on('error', () => {})
  child.unref()
}
