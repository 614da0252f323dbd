import { waitingFiles } from '@toolhaven/testing/turns'
import { defineConfig } from 'vitest/config'

// oxlint-disable-next-line node/no-process-env -- `npm test` says which turn it is; by hand every file runs
const isSampled = process.env['THV_TEST_ROTATION'] !== undefined
const never = ['**/node_modules/**', '**/dist/**', ...(isSampled ? waitingFiles() : [])]

const unitTests = '{apps,packages,tools,bench,conformance/src,fuzz}/**/*.test.ts'

/** Timeouts are deadlines against hanging, not measurements: a busy machine must not fail a correct test. */
const deadlines = { testTimeout: 60_000, hookTimeout: 120_000, teardownTimeout: 60_000 }

export default defineConfig({
  test: {
    // Processes, not threads: tests change umask, signals and working state that threads would share.
    pool: 'forks',
    // Node reads TypeScript itself, so Vite need not: importing took twice as long with it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // As above: a second, as it would be, is not enough for a page on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [unitTests],
          exclude: [...never, '**/*.{engine,alone}.test.ts', 'apps/{website,console}/tests/**'],
          // Files share a process: to import everything again for each took more processor time than most tests.
          isolate: false,
          maxWorkers: 3,
          ...deadlines,
        },
      },
      {
        extends: true,
        test: {
          // Tests that look at the memory of their process.
          name: 'alone',
          include: [unitTests.replace('.test.ts', '.alone.test.ts')],
          exclude: never,
          maxWorkers: 3,
          ...deadlines,
        },
      },
      {
        extends: true,
        test: {
          name: 'engine',
          include: ['{apps,packages}/**/*.engine.test.ts'],
          exclude: never,
          maxWorkers: 2,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          teardownTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'site',
          globalSetup: ['apps/website/tests/global-setup.ts'],
          include: ['apps/website/tests/*.test.ts'],
          exclude: never,
          // A browser for each file, and the pages share the machine with it.
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          teardownTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          globalSetup: ['e2e/src/global-setup.ts'],
          include: ['e2e/**/*.test.ts', 'conformance/*.test.ts'],
          exclude: never,
          maxWorkers: 3,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          teardownTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          globalSetup: ['apps/console/tests/global-setup.ts'],
          include: ['apps/console/tests/*.test.ts'],
          exclude: never,
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          teardownTimeout: 60_000,
        },
      },
    ],
  },
})
