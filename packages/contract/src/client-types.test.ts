import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { CLIENT_TYPES, parseClientType } from './client-types.ts'

const KEBAB = [
  ...['roo-code', 'cline', 'cursor', 'vscode-insider', 'vscode', 'claude-code', 'windsurf', 'windsurf-jetbrains'],
  ...['amp-cli', 'amp-vscode', 'amp-cursor', 'amp-vscode-insider', 'amp-windsurf'],
  ...[
    'gemini-cli',
    'qwen-code',
    'copilot-cli',
    'zed',
    'lm-studio',
    'kiro',
    'crush',
    'antigravity',
    'vscode-server',
    'claude-desktop',
    'junie',
    'codex',
  ],
  ...['goose', 'continue', 'opencode', 'trae', 'warp', 'factory-droid', 'auggie'],
  ...['kilo-code', 'kimi-code', 'rovo-dev', 'copilot-jetbrains'],
]

test('every client is known in both spellings, in any case', () => {
  expect(CLIENT_TYPES).toHaveLength(36)
  for (const [at, type] of CLIENT_TYPES.entries()) {
    const kebab = KEBAB[at] ?? ''
    for (const spelling of [type, type.toLowerCase(), type.toUpperCase(), kebab, kebab.toUpperCase()]) {
      expect(parseClientType(spelling), spelling).toBe(type)
    }
  }
})

test('those of the specification come first, in its order', () => {
  expect(CLIENT_TYPES.slice(0, 13).join(' ')).toBe(
    'RooCode Cline Cursor VSCodeInsider VSCode ClaudeCode Windsurf WindsurfJetBrains AmpCli AmpVSCode AmpCursor AmpVSCodeInsider AmpWindsurf',
  )
})

test('nothing else is a client', () => {
  const known = new Set([...CLIENT_TYPES.map((type) => type.toLowerCase()), ...KEBAB])
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.constantFrom('', '__proto__', 'constructor', 'toString', ' cursor', 'cursor ', 'vs-code'),
      ),
      (text) => {
        expect(parseClientType(text) !== undefined).toBe(known.has(text.toLowerCase()))
      },
    ),
  )
})
