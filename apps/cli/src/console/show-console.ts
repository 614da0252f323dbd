import type { ConsoleLink } from '@toolhaven/contract/console'
import { plainHttpAdvice } from '@toolhaven/core/console/plain-http-advice'
import type { Context } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'

/** Prints the console's URL and, on a terminal, opens it in a browser. */
export async function showConsole(context: Context, flags: { noOpen: boolean; format: string }): Promise<void> {
  const { out } = context
  const { link, needsLogin } = await linkOf(context)
  if (flags.format === 'json') out.json(link)
  else out.line(link.url)
  if (link.expires_at !== undefined) out.note('It logs one browser in, within 60 seconds.')
  const advice = needsLogin ? plainHttpAdvice(new URL(link.url)) : undefined
  if (advice !== undefined) out.note(`Note: ${advice}.`)
  if (!flags.noOpen && out.isTerminal) openInBrowser(link.url)
}

/** A daemon on another machine makes no link for us; its console asks for the token. */
async function linkOf({ daemon, env, signal }: Context): Promise<{ link: ConsoleLink; needsLogin: boolean }> {
  const elsewhere = env['THV_HOST']
  const client = await daemon()
  if (!elsewhere || elsewhere.startsWith('unix:')) {
    const link = await client.call('createConsoleLink', {}, signal)
    return { link, needsLogin: link.expires_at !== undefined }
  }
  await client.call('getVersion', {}, signal)
  const { login } = await client.call('getConsoleSession', {}, signal)
  const url = new URL('/', elsewhere.includes('://') ? elsewhere : `http://${elsewhere}`).href
  return { link: { url }, needsLogin: login !== 'not-needed' }
}

export async function logOut({ daemon, out, signal }: Context): Promise<void> {
  const client = await daemon()
  const { logins } = await client.call('listConsoleLogins', {}, signal)
  await client.call('deleteConsoleLogins', {}, signal)
  out.line(logins.length === 1 ? 'Logged 1 browser out.' : `Logged ${logins.length} browsers out.`)
}
