import { spawn } from 'node:child_process'

/** Never through a shell, so that the address is always one argument. */
export function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  // Without such a program, the address is still on the screen.
  child.on('error', () => {})
  child.unref()
}
