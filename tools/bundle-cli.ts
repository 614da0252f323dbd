import { chmod } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Makes apps/cli/dist/thv.mjs: the program in one folder of plain JavaScript, split where it loads lazily. Starting it
 * costs about half of what starting the sources costs, most of which is finding and stripping some hundred files.
 */
export async function bundleCli(): Promise<void> {
  await using build = await rolldown({
    cwd: root,
    input: { thv: 'apps/cli/bin/thv.mjs' },
    platform: 'node',
    // Some packages offer their sources to bundlers and something only Node can load to everybody else.
    resolve: { mainFields: ['module', 'main'] },
    // These two bring a native library and a WebAssembly file, which must stay files.
    external: [/^node:/, /^@napi-rs\/keyring/, /^@1password\/sdk/],
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'EMPTY_IMPORT_META') process.stderr.write(`${log.message}\n`)
    },
  })
  await build.write({ dir: 'apps/cli/dist', format: 'esm', entryFileNames: '[name].mjs', cleanDir: true })
  await chmod(new URL('../apps/cli/dist/thv.mjs', import.meta.url), 0o755)
}

if (import.meta.main) await bundleCli()
