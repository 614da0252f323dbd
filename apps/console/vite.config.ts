import babel from '@rolldown/plugin-babel'
import react, { reactCompilerPreset } from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { stripDescriptions } from './strip-descriptions.ts'

/** Where the daemon listens whose API the development server and the preview pass on. */
// oxlint-disable-next-line node/no-process-env -- the configuration of a tool
const daemon = process.env['TOOLHAVEN_ADDRESS'] ?? 'http://127.0.0.1:8080'
const proxy = { '/api': { target: daemon }, '/health': { target: daemon } }

/** The documentation has an address only where the website was built with one. */
// oxlint-disable-next-line node/no-process-env -- as above
const { SITE_URL: site, SITE_BASE_URL: base = '/' } = process.env
const docs = site ? new URL(base, site).href : ''

export default defineConfig({
  root: import.meta.dirname,
  define: { DOCS_ADDRESS: JSON.stringify(docs) },
  plugins: [stripDescriptions(), react(), babel({ presets: [reactCompilerPreset()] })],
  server: { proxy },
  preview: { proxy },
  build: {
    target: 'es2023',
    // The content security policy allows neither inline scripts nor data URLs.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    emptyOutDir: true,
    // What every page begins with is one file. Cut in pieces by who else imports it, it compresses worse.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'begin', tags: ['$initial'] }] } },
      // On a slow machine it would print where a build spent its time, in the middle of "npm start".
      checks: { pluginTimings: false },
    },
  },
})
