import { Resolver } from 'node:dns/promises'
import type { MxAnswer, SrvAnswer, StringAnswer, TxtAnswer } from 'dns-packet'
import { DNS_TIMEOUT } from './system-resolver.ts'

export const RECORD_KINDS = ['SRV', 'TXT', 'MX', 'CNAME'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

type Data<A> = Pick<A, Extract<'type' | 'data', keyof A>>

export interface FoundRecord {
  data: Data<SrvAnswer> | Data<TxtAnswer> | Data<MxAnswer> | Data<StringAnswer>
  /** The name that it points to. */
  target?: string
}

export class NoSuchName extends Error {}

/** Looks up records other than addresses. Rejects with `NoSuchName` if the name does not exist. */
export type LookUpRecords = (name: string, kind: RecordKind) => Promise<FoundRecord[]>

/** A new resolver each time: it reads the machine's configuration when it is made, and networks come and go. */
export const lookUpWithSystem: LookUpRecords = async (name, kind) => {
  try {
    return await lookUp(new Resolver(DNS_TIMEOUT), name, kind)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENODATA') return []
    if (code === 'ENOTFOUND') throw new NoSuchName(name)
    throw error
  }
}

async function lookUp(resolver: Resolver, name: string, kind: RecordKind): Promise<FoundRecord[]> {
  switch (kind) {
    case 'SRV':
      return (await resolver.resolveSrv(name)).map(({ name: target, port, priority, weight }) => ({
        data: { type: 'SRV', data: { target, port, priority, weight } },
        target,
      }))
    case 'MX':
      return (await resolver.resolveMx(name)).map(({ exchange, priority: preference }) => ({
        data: { type: 'MX', data: { exchange, preference } },
        target: exchange,
      }))
    case 'CNAME':
      return (await resolver.resolveCname(name)).map((target) => ({ data: { type: 'CNAME', data: target }, target }))
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((parts) => ({
        // Node returns each byte as a character.
        data: { type: 'TXT', data: parts.map((part) => Buffer.from(part, 'latin1')) },
      }))
  }
}
