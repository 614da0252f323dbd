import { parseOutside } from '@toolhaven/contract/parse-outside'
import { conflict, invalid } from '@toolhaven/core/errors'
import * as z from 'zod'
import { atomicWrite } from './atomic-write.ts'
import { readPrivateFile } from './private-file.ts'

/** The format of a state file and its history. Every file contains the number of its format. */
export interface RecordFormat<T> {
  schema: z.ZodType<T>
  /** The format written now. */
  format: number
  /** `migrations[n]` turns a record of format n into one of format n + 1. */
  migrations: Readonly<Record<number, (old: unknown) => unknown>>
  /** The record quotes servers. Their text is kept unchanged, and no program is ever given it. */
  quotesServers?: true
}

export type RecordReading<T> =
  | { state: 'absent' }
  | { state: 'good'; record: T }
  | { state: 'newer'; format: number }
  /** `why` never quotes the content: it may hold secrets. */
  | { state: 'corrupt'; why: string }

const envelope = z.strictObject({ format: z.int().min(1), record: z.unknown() })

/** Reads one state file. Migrates an older format to the present one, and keeps a copy of the old file beside it. */
export async function readRecordFile<T>(path: string, kind: RecordFormat<T>): Promise<RecordReading<T>> {
  const text = await readPrivateFile(path)
  if (text === undefined) return { state: 'absent' }
  const outer = envelope.safeParse(parseJson(text))
  if (!outer.success) return { state: 'corrupt', why: 'it is not a JSON object with a format number and a record' }
  const { format } = outer.data
  if (format > kind.format) return { state: 'newer', format }
  const current = migrate(outer.data.record, format, kind)
  if (!current.ok) return { state: 'corrupt', why: current.why }
  const parsed = parseRecord(current.record, kind)
  if (!parsed.success) return { state: 'corrupt', why: describeIssues(parsed.error) }
  if (format < kind.format) {
    await atomicWrite(`${path}.v${format}.bak`, text)
    await writeRecordFile(path, parsed.data, kind)
  }
  return { state: 'good', record: parsed.data }
}

export async function writeRecordFile<T>(path: string, record: T, kind: RecordFormat<T>): Promise<void> {
  await atomicWrite(path, encodeRecord(record, kind))
}

/** Refuses a record that could not be read back: a failed write now is better than a damaged file at the next start. */
export function encodeRecord<T>(record: T, kind: RecordFormat<T>): string {
  const text = `${JSON.stringify({ format: kind.format, record }, undefined, 2)}\n`
  const back = parseRecord(envelope.parse(JSON.parse(text)).record, kind)
  if (!back.success) throw invalid(`the record cannot be stored: ${describeIssues(back.error)}`)
  return text
}

export function newerFormat(path: string, format: number) {
  return conflict(
    `${path} was written by a newer version of Toolhaven (format ${format}): install that version, or move the file away`,
  )
}

function parseRecord<T>(record: unknown, { schema, quotesServers }: RecordFormat<T>) {
  return quotesServers ? schema.safeParse(record) : parseOutside(schema, record)
}

function migrate<T>(
  record: unknown,
  from: number,
  kind: RecordFormat<T>,
): { ok: true; record: unknown } | { ok: false; why: string } {
  let current = record
  for (let format = from; format < kind.format; format += 1) {
    const step = kind.migrations[format]
    if (step === undefined) return { ok: false, why: `there is no migration from format ${format} to ${format + 1}` }
    try {
      current = step(current)
    } catch {
      // The error of the migration could quote the content.
      return { ok: false, why: `it could not be migrated from format ${format} to ${format + 1}` }
    }
  }
  return { ok: true, record: current }
}

/** JSON.parse quotes the text in its errors, so they are not passed on. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeIssues(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.') || 'the record'}: ${issue.message}`).join('; ')
}
