import fc from 'fast-check'
import { rotationFrom } from './rotation.ts'

const { full, round } = rotationFrom(process.env)

// The gate draws the same cases at the same commit, so that it fails where it failed before; a full run draws new ones.
fc.configureGlobal(full ? {} : { seed: 20_260_101 + round })

export { fc }
