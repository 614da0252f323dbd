import { open } from 'node:fs/promises'
import path from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { Output } from '../output/output.ts'
import { printable } from '@toolhaven/contract/visible-text'

export interface ResultPlace {
  out: Output
  /** The folder for images, audio and other files. */
  folder: string
  /** Prefix of their names. */
  tool: string
}

/** Prints text, saves everything else to files and prints their names. */
export async function showResult(place: ResultPlace, result: CallToolResult): Promise<void> {
  const print = result.isError === true ? place.out.note : place.out.line
  const printText = (text: string) => print(text.split('\n').map(tame).join('\n'))
  if (result.isError === true) print(`${place.tool} reports an error:`)
  for (const block of result.content) {
    if (block.type === 'text') printText(block.text)
    else if (block.type === 'image' || block.type === 'audio') await save(place, block.data, block.mimeType)
    else if (block.type === 'resource_link') printText(`${block.name}: ${block.uri}`)
    else if ('text' in block.resource) printText(block.resource.text)
    else await save(place, block.resource.blob, block.resource.mimeType ?? '')
  }
  if (result.content.length === 0 && result.structuredContent !== undefined)
    printText(JSON.stringify(result.structuredContent, null, 2))
}

/** Like `printable`, but keeps tabs, which only move the cursor. */
const tame = (line: string) => line.split('\t').map(printable).join('\t')

const ENDINGS = new Map([
  ['jpeg', 'jpg'],
  ['svg+xml', 'svg'],
  ['mpeg', 'mp3'],
  ['plain', 'txt'],
])

async function save({ out, folder, tool }: ResultPlace, base64: string, mimeType: string): Promise<void> {
  const kind = /^[a-z]+\/(?:x-)?([a-z0-9.+-]+)/i.exec(mimeType)?.[1]?.toLowerCase() ?? 'bin'
  const ending = (ENDINGS.get(kind) ?? kind).replaceAll(/[^a-z0-9]/g, '').slice(0, 16) || 'bin'
  const bytes = Buffer.from(base64, 'base64')
  const file = await writeNew(path.join(folder, tool.replaceAll(/[^\w-]/g, '_').slice(0, 60)), ending, bytes)
  out.line(file)
  out.note(`${bytes.length} bytes of ${printable(mimeType) || 'an unknown type'} were saved.`)
}

/** Never overwrites an existing file. */
async function writeNew(start: string, ending: string, bytes: Buffer): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = `${start}-${number}.${ending}`
    try {
      await using handle = await open(file, 'wx')
      await handle.writeFile(bytes)
      return file
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
      throw unavailable(`the result cannot be saved: ${describeError(error)}; choose a folder with --output-dir`, error)
    }
  }
}
