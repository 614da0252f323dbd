import { expect } from 'vitest'
import { until } from '../testbed/until.ts'
import { collect, signal, untilExited, type RuntimeCases } from './session.ts'

const TWO_MEGABYTES = 2 << 20

export const stdioCases: RuntimeCases = {
  'carries two megabytes in and out unharmed': async ({ open }) => {
    const { pipe } = await open(['echo'])
    const text = Array.from({ length: TWO_MEGABYTES / 16 }, (_, i) => `${i}`.padStart(15, '0')).join('\n') + '\n'
    await pipe.channel.write(text)
    await until('everything came back', () => pipe.stdoutBytes() >= text.length || undefined)
    expect(pipe.stdout() === text).toBe(true)
  },

  'keeps multi-byte text whole and in order over many writes': async ({ open }) => {
    const { pipe } = await open(['echo'])
    const lines = Array.from({ length: 500 }, (_, i) => `${i} – grüße 漢字 🛶\n`)
    for (const line of lines) await pipe.channel.write(line)
    const whole = lines.join('')
    await until('everything came back', () => pipe.stdoutBytes() >= Buffer.byteLength(whole) || undefined)
    expect(pipe.stdout()).toBe(whole)
  },

  'carries a message that is written in parts as one': async ({ open }) => {
    const { pipe } = await open(['echo'])
    const parts = ['begin ', '漢'.repeat(1 << 18), ' end', '\n'].map((text) => Buffer.from(text))
    await pipe.channel.write(parts)
    await pipe.channel.write('next\n')
    const whole = `${parts.join('')}next\n`
    await until('everything came back', () => pipe.stdoutBytes() >= Buffer.byteLength(whole) || undefined)
    expect(pipe.stdout() === whole).toBe(true)
  },

  'keeps stdout and stderr apart': async ({ run }) => {
    const { stdout, stderr } = await run(['both'])
    expect({ stdout, stderr }).toEqual({ stdout: 'to stdout\n', stderr: 'to stderr\n' })
  },

  'misses no output of a program that ends at once': async ({ run }) => {
    const { stdout } = await run(['lines', '2000'])
    expect(stdout.split('\n').length).toBe(2001)
  },

  'reads nothing while paused and everything after': async ({ open }) => {
    const { pipe } = await open(['echo'])
    await pipe.channel.write('first\n')
    await until('the first line', () => pipe.stdout().includes('first') || undefined)
    pipe.channel.pause()
    await pipe.channel.write('second\n')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(pipe.stdout()).toBe('first\n')
    pipe.channel.resume()
    await until('the second line', () => pipe.stdout().includes('second') || undefined)
  },

  'reports the end once and refuses to write after it': async ({ runtime, open }) => {
    const { handle, pipe } = await open(['exit', '0'])
    let ends = 0
    const first = pipe.channel.onClose
    pipe.channel.onClose = (error) => {
      ends += 1
      first(error)
    }
    await untilExited(runtime, handle)
    await pipe.closed
    await expect(pipe.channel.write('anyone?\n')).rejects.toThrow()
    pipe.channel.close()
    expect(ends).toBe(1)
  },

  'ends stdin on close, unless instances outlive their client': async ({ runtime, open, capabilities }) => {
    const { handle, pipe } = await open(['echo'])
    await pipe.channel.write('hello\n')
    await until('the echo', () => pipe.stdout().includes('hello') || undefined)
    pipe.channel.close()
    await pipe.closed
    if (!capabilities.survivesDaemon) {
      expect((await untilExited(runtime, handle)).exitCode).toBe(0)
      return
    }
    expect(await runtime.inspect(handle, signal())).toMatchObject({ state: 'running' })
    const again = collect(await runtime.attach(handle, signal()))
    await again.channel.write('still there?\n')
    await until('the second echo', () => again.stdout().includes('still there?') || undefined)
  },

  'lets a restarted daemon attach again': async ({ under, open, capabilities }, skip) => {
    if (!capabilities.survivesDaemon) return skip('instances of this runtime end with the daemon')
    const { handle, pipe } = await open(['echo'])
    await pipe.channel.write('one\n')
    await until('the echo', () => pipe.stdout().includes('one') || undefined)
    await using other = await under.reopen()
    const second = collect(await other.attach(handle, signal()))
    await second.channel.write('two\n')
    await until('the echo', () => second.stdout().includes('two') || undefined)
    expect(second.stdout()).toBe('two\n')
  },

  'refuses to attach to what is not there': async ({ runtime, create }) => {
    const handle = await create(['echo'])
    await runtime.remove(handle, signal())
    await expect(runtime.attach(handle, signal())).rejects.toMatchObject({ code: 'not-found' })
    await expect(runtime.start(handle, signal())).rejects.toMatchObject({ code: 'not-found' })
  },
}
