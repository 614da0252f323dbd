import type { StdioChannel } from '@toolhaven/core/ports/runtime'

type Json = { [key: string]: unknown }

/** What a server answers to a message: its response without the id, nothing, or its own end. */
export type Script = (message: Json) => Json | 'exits' | undefined

/** A stdio server that goes by a script, and what it heard. */
export function scriptedServer(script: Script): { channel: StdioChannel; heard: Json[] } {
  const heard: Json[] = []
  const channel: StdioChannel = {
    onStdout: () => {},
    onStderr: () => {},
    onClose: () => {},
    async write(data) {
      const text = typeof data === 'string' ? data : Buffer.concat(data).toString()
      for (const line of text.split('\n').filter((part) => part !== '')) {
        const message: Json = JSON.parse(line)
        heard.push(message)
        const answer = script(message)
        if (answer === 'exits') queueMicrotask(() => channel.onClose(new Error('exit code 1')))
        else if (answer !== undefined)
          queueMicrotask(() =>
            channel.onStdout(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...answer })}\n`)),
          )
      }
    },
    pause: () => {},
    resume: () => {},
    close: () => {},
  }
  return { channel, heard }
}
