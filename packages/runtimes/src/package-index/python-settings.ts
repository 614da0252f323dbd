import { invalid } from '@toolhaven/core/errors'
import { type PipSettings, type PipSettingsOptions, readPipSettings } from './pip-settings.ts'
import { refuseUvFiles } from './uv-files.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Settings that make pip find packages as the user's uv and pip would. */
export interface PythonSettings {
  /** By option name. */
  pip: PipSettings
  /**
   * Indexes that uv asks before the one of `index-url`: a package that one of them has comes from there, whatever the
   * others have.
   */
  first: readonly string[]
}

/** From variables and files of this user and of the machine. */
export async function readPythonSettings(options: PipSettingsOptions): Promise<PythonSettings> {
  await refuseUvFiles(options)
  return pythonSettings(options.env, await readPipSettings(options))
}

/** Settings of uv take precedence over those of pip, for everything that fetches Python packages. */
export function pythonSettings(env: Env, pip: PipSettings): PythonSettings {
  const main = env['UV_DEFAULT_INDEX'] || env['UV_INDEX_URL']
  const extra = [...words(env['UV_INDEX']), ...words(env['UV_EXTRA_INDEX_URL'])].map((index) => address(env, index))
  const namesIndex = (main !== undefined && main !== '') || extra.length > 0
  const settings: Record<string, string> = { ...pip }
  const set = (key: string, value: string | undefined) => {
    if (value) settings[key] = value
    else if (namesIndex) delete settings[key]
  }
  if (main) settings['index-url'] = address(env, main)
  set('extra-index-url', extra.join('\n'))
  set('find-links', words(env['UV_FIND_LINKS'], /[\s,]+/).join('\n'))
  set('no-index', env['UV_NO_INDEX'])
  if (env['UV_INSECURE_HOST']) settings['trusted-host'] = words(env['UV_INSECURE_HOST']).join('\n')
  const first = (env['UV_INDEX_STRATEGY'] ?? '').startsWith('unsafe-') ? [] : extra
  return { pip: settings, first }
}

/** pip takes the newest of all its indexes, so anyone could offer a package of the first ones in another index. */
export function checkPipCanFollow({ first }: PythonSettings): void {
  if (first.length === 0) return
  throw invalid(
    'UV_INDEX or UV_EXTRA_INDEX_URL names a package index that takes precedence over the others. Images of Python packages are built with pip, which cannot do that. Set UV_DEFAULT_INDEX to one index that has all packages. If any index may supply any package, set UV_INDEX_STRATEGY=unsafe-best-match instead.',
  )
}

function words(text: string | undefined, between = /\s+/): string[] {
  return (text ?? '').split(between).filter((word) => word !== '')
}

/**
 * An index as uv names it. It may have a name (`name=https://…`), and with the name a user and a password in variables.
 */
function address(env: Env, index: string): string {
  const [, name, plain = index] = /^([\w.-]+)=(.*)$/.exec(index) ?? []
  const url = URL.parse(plain)
  if (name === undefined || url === null) return plain
  const prefix = `UV_INDEX_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
  const [user, password] = [env[`${prefix}_USERNAME`], env[`${prefix}_PASSWORD`]]
  if (user) url.username = encodeURIComponent(user)
  if (password) url.password = encodeURIComponent(password)
  return user || password ? url.href : plain
}
