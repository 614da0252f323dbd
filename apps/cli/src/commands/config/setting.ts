import type { DaemonSettings } from '@toolhaven/contract/system'
import { type ArgDef, type CommandDef, type Example, FORMAT_FLAG, defineCommand } from '../../command.ts'
import type { Context } from '../../context.ts'

/** One setting of the daemon, and the three commands that get, set and unset it. */
export interface Setting {
  /** The words before `get-`, with a trailing space: `config `, `config otel `. */
  prefix: string
  name: string
  /** The name in a sentence: "the certificate file". */
  noun: string
  /** Says what the setting is for. */
  purpose: string
  /** The API's settings object with only this setting; null clears it. */
  of: (settings: DaemonSettings) => DaemonSettings
  /** The value in a form for people. Undefined if it is not set. */
  show: (settings: DaemonSettings) => string | undefined
  cleared: DaemonSettings
}

export function getSetting(setting: Setting): CommandDef {
  const words = `${setting.prefix}get-${setting.name}`
  return defineCommand({
    words,
    summary: `Show ${setting.noun}`,
    description: `Shows ${setting.noun}: ${setting.purpose}.`,
    flags: FORMAT_FLAG,
    examples: [{ command: `thv ${words}`, shows: 'the value in force' }],
    run: async ({ daemon, out, signal }, { flags }) => {
      const client = await daemon()
      const settings = await client.call('getSettings', {}, signal)
      if (flags.format === 'json') return out.json(setting.of(settings))
      const value = setting.show(settings)
      if (value === undefined)
        return out.note(`Not set: ${setting.noun}. "thv ${setting.prefix}set-${setting.name}" sets it.`)
      out.line(value)
    },
  })
}

export interface SetSetting {
  args: readonly ArgDef[]
  examples: readonly Example[]
  more?: string
  change: (args: readonly string[], context: Context) => DaemonSettings | Promise<DaemonSettings>
}

export function setSetting(setting: Setting, { args, examples, more, change }: SetSetting): CommandDef {
  return defineCommand({
    words: `${setting.prefix}set-${setting.name}`,
    summary: `Set ${setting.noun}`,
    description: `Sets ${setting.noun}: ${setting.purpose}.${more === undefined ? '' : `\n\n${more}`}`,
    args,
    flags: FORMAT_FLAG,
    examples,
    run: async (context, input) => {
      const body = await change(input.args, context)
      const client = await context.daemon()
      const settings = await client.call('updateSettings', { body }, context.signal)
      if (input.flags.format === 'json') return context.out.json(setting.of(settings))
      context.out.line(`${setting.noun} is now ${setting.show(settings) ?? 'not set'}`)
    },
  })
}

export function unsetSetting(setting: Setting): CommandDef {
  const words = `${setting.prefix}unset-${setting.name}`
  return defineCommand({
    words,
    summary: `Clear ${setting.noun}`,
    description: `Clears ${setting.noun}: ${setting.purpose}.`,
    flags: FORMAT_FLAG,
    examples: [{ command: `thv ${words}`, shows: 'clears the setting' }],
    run: async ({ daemon, out, signal }, { flags }) => {
      const client = await daemon()
      const settings = await client.call('updateSettings', { body: setting.cleared }, signal)
      if (flags.format === 'json') return out.json(setting.of(settings))
      out.line(`${setting.noun} is no longer set`)
    },
  })
}
