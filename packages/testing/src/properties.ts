import fc from 'fast-check'
import { rotationFrom } from './rotation.ts'

const { full, round } = rotationFrom(process.env)

// A test run uses the same cases at the same commit, so that it fails where it failed before. A full run uses new ones.
const chosen = process.env['THV_TEST_SEED']
const seed = chosen === undefined ? 20_260_101 + round : Number(chosen)
fc.configureGlobal(full && chosen === undefined ? {} : { seed })

export { fc }
