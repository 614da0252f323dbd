import { buildSite } from './site-build.ts'

await buildSite({ log: (line) => console.log(line) })
