import { readFile } from 'node:fs/promises'
import type { GoProxy } from '@toolhaven/testing/testbed/go-proxy'

const FOLDER = new URL('hostile-go/', import.meta.url)
const goMod = (module: string, needs = '') => `module ${module}\n\ngo 1.24\n${needs}`

/** What the server of a Go package gained when it ran. */
export interface GoReport {
  reached: string[]
  read: string[]
  /** System calls that our filter refuses. */
  calls: string[]
  uid: number
  /** Those that it could gain. */
  capabilities: string
  processes: number
}

/** A server that tries everything when it is asked for its tool `report`. */
export async function addHostileServer(proxy: GoProxy, module: string, more: Record<string, string> = {}) {
  const names = ['main.go', 'call_amd64.s']
  const texts = names.map(async (name) => [name, await readFile(new URL(name, FOLDER), 'utf8')] as const)
  const files: Record<string, string> = Object.fromEntries(await Promise.all(texts))
  await proxy.add(module, { 'go.mod': goMod(module), ...files, ...more })
}

/**
 * The same server, whose build reads a file of the machine. Nothing of a package runs in a build, but Go's assembler includes any file
 * that it can open. Other files would have other words; what counts is whether it is opened, without which nothing is built.
 */
export async function addReadingServer(proxy: GoProxy, module: string, file: { path: string; words: string }) {
  const [first = '', ...others] = file.words.split(' ')
  const defined = [`${first} GLOBL loot<>(SB), 16, $8`, ...others].map((word) => `#define ${word}\n`).join('')
  await addHostileServer(proxy, module, { 'read_amd64.s': `${defined}#include ${JSON.stringify(file.path)}\n` })
}

/** A package with a dependency whose path is a host that Go will ask. */
export async function addLeadingPackage(proxy: GoProxy, module: string, dependency: string) {
  const main = `package main\n\nimport _ "${dependency}"\n\nfunc main() {}\n`
  await proxy.add(module, { 'go.mod': goMod(module, `\nrequire ${dependency} v1.0.0\n`), 'main.go': main })
}
