import { buildServerImage } from '@toolhaven/testing/testbed/server-image'
import type { Engine } from '@toolhaven/testing/testbed/engine'

export const FIXTURE_IMAGE = 'docker.io/library/thv-mcp-fixture:1'

export const buildFixtureImage = (engine: Engine) => buildServerImage(engine, FIXTURE_IMAGE)
