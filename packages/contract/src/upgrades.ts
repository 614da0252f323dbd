import * as z from 'zod'
import { envVarName, workloadName } from './names.ts'
import { difference, planProblem } from './plans.ts'
import { API_PREFIX, noWorkload, ok, type Routes } from './route.ts'
import { secretParameter } from './run-config.ts'
import { wellFormedText } from './text.ts'
import { lockPart } from './tools.ts'

export const upgrade = z
  .strictObject({
    name: workloadName.meta({ description: 'Name of the workload' }),
    state: z.enum(['available', 'current', 'unknown', 'not-upgradable']).meta({
      description:
        'available: there is a newer version. current: there is none. unknown: it could not be found out. not-upgradable: the workload has no versions to choose from',
    }),
    source: z
      .enum(['registry', 'npm', 'pypi', 'go', 'image'])
      .optional()
      .meta({ description: 'Where versions are looked up; left out: nowhere' }),
    from: z
      .string()
      .optional()
      .meta({ description: 'Version, tag or digest that the workload has; left out: it has none yet' }),
    to: z.string().optional().meta({ description: 'The newer version, tag or digest, when there is one' }),
    reason: z.string().optional().meta({ description: 'Why the state is what it is, where that needs a word' }),
  })
  .meta({ id: 'toolhaven.upgrade', description: 'Whether there is a newer version of a workload’s server' })
export type Upgrade = z.infer<typeof upgrade>

const change = z.enum(['added', 'removed']).meta({ description: 'Whether the new version has it, or had it before' })

export const upgradePlan = z
  .strictObject({
    ...upgrade.shape,
    variables: z
      .array(
        z.strictObject({
          name: envVarName.meta({ description: 'Name of the variable' }),
          change,
          description: z.string().meta({ description: 'What the variable is for' }),
          required: z.boolean().meta({ description: 'Whether the server needs it to start' }),
          secret: z.boolean().meta({ description: 'Whether its value is confidential' }),
        }),
      )
      .meta({ description: 'Variables that the registry names for one version and not for the other' }),
    tools: z
      .array(z.strictObject({ name: z.string().meta({ description: 'Name of the tool' }), change }))
      .optional()
      .meta({
        description: 'Tools by the registry. Left out: only the registry knows them before the new version runs',
      }),
    differences: z
      .array(difference)
      .meta({ description: 'What changes in the run configuration, the permissions among it' }),
    problems: z.array(planProblem).meta({ description: 'Why the upgrade would be refused. Empty: it would not be' }),
    restarts: z.boolean().meta({ description: 'Whether a workload that runs now would restart' }),
  })
  .meta({ id: 'toolhaven.upgradePlan', description: 'What an upgrade would change; nothing of it was done' })
export type UpgradePlan = z.infer<typeof upgradePlan>

export const upgradeRequest = z
  .strictObject({
    to: wellFormedText
      .min(1)
      .optional()
      .meta({ description: 'The version that you looked at. Left out: the newest. Another one by now is refused' }),
    env_vars: z
      .record(envVarName, wellFormedText)
      .optional()
      .meta({ description: 'Environment variables that are added to those there are' }),
    secrets: z
      .array(secretParameter)
      .optional()
      .meta({ description: 'Stored secrets that are added to those there are' }),
    accept_network: z.boolean().optional().meta({
      description:
        'Confirms hosts that the registry entry of the new version asks for and the present one may not reach, private and loopback addresses among them',
    }),
    accept_mounts: z
      .boolean()
      .optional()
      .meta({ description: 'Confirms mounts, and privileged, that the registry entry asks for' }),
  })
  .meta({ id: 'toolhaven.upgradeRequest', description: 'What to upgrade to, and what the new version needs' })
export type UpgradeRequest = z.infer<typeof upgradeRequest>

export const upgradeResult = z
  .strictObject({
    name: workloadName.meta({ description: 'Name of the workload' }),
    outcome: z.enum(['upgraded', 'current', 'went-back']).meta({
      description:
        'upgraded: the new version runs. current: there was no newer one. went-back: the new version did not start, and the old configuration is in force again',
    }),
    from: z.string().optional().meta({ description: 'Version before' }),
    to: z.string().optional().meta({ description: 'Version that was tried; left out: there was none' }),
    reason: z.string().optional().meta({ description: 'Why it went back' }),
    last_lines: z
      .array(z.string())
      .meta({ description: 'Last lines of the version that did not start, oldest first; else empty' }),
    tools_changed: z
      .array(
        z.strictObject({
          part: lockPart.meta({ description: 'What changed' }),
          name: z.string().meta({ description: 'Its name, with what is hidden in it escaped' }),
          kind: z.enum(['changed', 'added', 'removed']).meta({ description: 'How it changed' }),
        }),
      )
      .meta({ description: 'What differs from the accepted tools now. An upgrade accepts nothing' }),
  })
  .meta({ id: 'toolhaven.upgradeResult', description: 'How an upgrade ended' })
export type UpgradeResult = z.infer<typeof upgradeResult>

export const upgradeList = z
  .strictObject({ upgrades: z.array(upgrade).meta({ description: 'Of every workload, sorted by name' }) })
  .meta({ id: 'toolhaven.upgradeList', description: 'Which workloads have a newer version' })

const params = z.strictObject({ name: workloadName })
const tag = 'workloads'
const example = { name: 'everything', state: 'available', source: 'registry', from: '1.0.0', to: '2.0.0' } as const
const versions = { from: example.from, to: example.to }

export const upgradeRoutes = {
  listUpgrades: {
    method: 'GET',
    path: `${API_PREFIX}/upgrades`,
    tag,
    summary: 'See which workloads have a newer version',
    description:
      'Asks the registry, npm, PyPI, the Go module proxy and image registries, each with the settings that servers are ' +
      'installed with. A source that does not answer leaves its workloads unknown, and the others are told.',
    success: ok(upgradeList, 'Every workload', { upgrades: [example] }),
    extension: true,
  },
  getUpgrade: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/upgrade`,
    tag,
    summary: 'See what an upgrade would change',
    description: 'Version, variables, tools and configuration. Nothing is changed.',
    params,
    success: ok(upgradePlan, 'What would change', {
      ...example,
      variables: [{ name: 'REGION', change: 'added', description: 'Where', required: false, secret: false }],
      tools: [{ name: 'search', change: 'added' }],
      differences: [{ field: 'image', before: 'npx://everything@1.0.0', after: 'npx://everything@2.0.0' }],
      problems: [],
      restarts: true,
    }),
    errors: noWorkload,
    extension: true,
  },
  upgradeWorkload: {
    method: 'POST',
    path: `${API_PREFIX}/workloads/{name}/upgrade`,
    tag,
    summary: 'Upgrade a workload',
    description:
      'Answers when the new version runs, or when the old configuration is in force again because the new version did not ' +
      'start. That is done also when the caller leaves or the daemon restarts. A stopped workload is started for it and ' +
      'stopped again. Tools that changed are not accepted.',
    params,
    body: upgradeRequest,
    bodyExample: { to: '2.0.0' },
    success: ok(upgradeResult, 'How it ended', {
      ...{ name: 'everything', outcome: 'upgraded', ...versions, last_lines: [] },
      tools_changed: [{ part: 'tool', name: 'search', kind: 'added' }],
    }),
    errors: {
      404: {
        when: 'unknown workload or secret, or no secrets provider',
        example: 'workload everything not found; GET /api/v1beta/workloads?all=true lists them',
      },
      409: {
        when: 'it cannot be upgraded, is being upgraded, was changed meanwhile, or another version is the newest by now',
        example: 'everything can be upgraded to 2.1.0 by now, not to 2.0.0; look at it again',
      },
    },
    extension: true,
  },
} as const satisfies Routes
