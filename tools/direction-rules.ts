import type { ICruiseOptions, IForbiddenRuleType, IResolveOptions } from 'dependency-cruiser'

/** Tests, and `test/` of a package: the support that only tests import. */
const TEST = '\\.test\\.ts$|^(apps|packages)/[^/]+/test/'
const PURE = '^packages/(contract|core|api|fakes)/src/'
const ADAPTER = '^packages/(api|runtimes|stores|gateway|egress)/'

/** The rules of docs/architecture.md; check-direction.test.ts plants a violation of each. */
export const directionRules: IForbiddenRuleType[] = [
  {
    name: 'contract-imports-zod-only',
    severity: 'error',
    comment: 'The contract is also read by browsers and generators: it stands on zod alone.',
    from: { path: '^packages/contract/src/', pathNot: TEST },
    to: { pathNot: ['^packages/contract/src/', '(^|/)node_modules/zod/'], dependencyTypesNot: ['core'] },
  },
  {
    name: 'no-node-in-pure-packages',
    severity: 'error',
    comment: 'contract, core and api reach the host through ports, so they also run in a browser, on fakes.',
    from: { path: PURE, pathNot: TEST },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'core-imports-contract-only',
    severity: 'error',
    comment: 'The domain knows no adapter and no app.',
    from: { path: '^packages/core/src/', pathNot: TEST },
    to: { path: '^(packages|apps|tools|e2e|bench|conformance|fuzz)/', pathNot: '^packages/(contract|core)/' },
  },
  {
    name: 'siblings-never-meet',
    severity: 'error',
    comment: 'Adapters do not import one another. An app connects them.',
    from: { path: ADAPTER },
    to: { path: ADAPTER, pathNot: '^packages/$1/' },
  },
  {
    name: 'packages-never-import-apps',
    severity: 'error',
    from: { path: '^packages/' },
    to: { path: '^(apps|tools|e2e|bench|conformance|fuzz)/' },
  },
  {
    name: 'apps-never-meet',
    severity: 'error',
    from: { path: '^apps/([^/]+)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'browser-apps-import-contract-only',
    severity: 'error',
    comment: 'Console and website are clients of the API.',
    from: { path: '^apps/(console|website)/', pathNot: TEST },
    to: { path: '^packages/', pathNot: '^packages/(contract|search|fakes|theme)/' },
  },
  {
    name: 'testing-stays-in-tests',
    severity: 'error',
    from: { path: '^(apps|packages)/', pathNot: [TEST, '^packages/testing/'] },
    to: { path: '^packages/testing/' },
  },
  {
    name: 'fakes-stay-in-tests-and-the-demo',
    severity: 'error',
    comment: 'The demo of the console is the one program that runs on fakes.',
    from: { path: '^(apps|packages)/', pathNot: [TEST, '^packages/(testing|fakes)/', '^apps/console/src/demo/'] },
    to: { path: '^packages/fakes/' },
  },
  {
    name: 'nobody-imports-a-test',
    severity: 'error',
    comment: 'Fuzz targets are tests, and share generators and comparisons with them.',
    from: { pathNot: [TEST, '^fuzz/'] },
    to: { path: TEST },
  },
  {
    name: 'no-cycles',
    severity: 'error',
    comment: 'No two files import each other. Move a type that both use into a third file.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'everything-resolves',
    severity: 'error',
    comment:
      'What does not resolve escapes every other rule. The names of Docusaurus stand for its own parts and the site.',
    from: {},
    to: { couldNotResolve: true, pathNot: '^@(docusaurus|theme|theme-original|site|generated)/' },
  },
]

export const cruiseOptions: ICruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '(^|/)(dist|\\.cache)/' },
  tsPreCompilationDeps: true,
  combinedDependencies: true,
}

export const resolveOptions: Partial<IResolveOptions> = {
  exportsFields: ['exports'],
  conditionNames: ['import', 'node', 'default', 'types'],
  extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js', '.json', '.d.ts'],
  symlinks: true,
}
