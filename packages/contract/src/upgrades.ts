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
        'available: there is a newer version. current: there is none. unknown: the lookup failed. not-upgradable: the workload has no versions to choose from',
    }),
    source: z
      .enum(['registry', 'npm', 'pypi', 'go', 'image'])
      .optional()
      .meta({ description: 'Where versions are looked up; absent if nowhere' }),
    from: z
      .string()
      .optional()
      .meta({ description: 'Present version, tag or digest; absent if the workload has none yet' }),
    to: z.string().optional().meta({ description: 'The newer version, tag or digest, if there is one' }),
    reason: z.string().optional().meta({ description: 'Reason for the state, if it needs an explanation' }),
  })
  .meta({ id: 'toolhaven.upgrade', description: 'Whether there is a newer version of a workload’s server' })
export type Upgrade = z.infer<typeof upgrade>

const change = z
  .enum(['added', 'removed'])
  .meta({ description: 'added: only the new version has it. removed: only the present one has it' })

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
      .meta({ description: 'Variables that the registry lists for only one of the two versions' }),
    tools: z
      .array(z.strictObject({ name: z.string().meta({ description: 'Name of the tool' }), change }))
      .optional()
      .meta({
        description: 'Tools according to the registry; absent if the version does not come from the registry',
      }),
    differences: z.array(difference).meta({ description: 'Changes to the run configuration, including permissions' }),
    problems: z.array(planProblem).meta({ description: 'Why the upgrade would be refused; empty if it would not be' }),
    restarts: z.boolean().meta({ description: 'Whether a running workload would restart' }),
  })
  .meta({ id: 'toolhaven.upgradePlan', description: 'What an upgrade would change. Nothing was changed' })
export type UpgradePlan = z.infer<typeof upgradePlan>

export const upgradeRequest = z
  .strictObject({
    to: wellFormedText.min(1).optional().meta({
      description:
        'The version that you chose (default: the newest). The request is refused if another version is the newest now',
    }),
    env_vars: z.record(envVarName, wellFormedText).optional().meta({ description: 'Environment variables to add' }),
    secrets: z.array(secretParameter).optional().meta({ description: 'Stored secrets to add' }),
    accept_network: z.boolean().optional().meta({
      description:
        'Confirms hosts that the registry entry of the new version asks for and that the present version may not reach, including private and loopback addresses',
    }),
    accept_mounts: z
      .boolean()
      .optional()
      .meta({ description: 'Confirms the mounts, and privileged, that the registry entry asks for' }),
  })
  .meta({ id: 'toolhaven.upgradeRequest', description: 'What to upgrade to, and what the new version needs' })
export type UpgradeRequest = z.infer<typeof upgradeRequest>

export const upgradeResult = z
  .strictObject({
    name: workloadName.meta({ description: 'Name of the workload' }),
    outcome: z.enum(['upgraded', 'current', 'went-back']).meta({
      description:
        'upgraded: the new version runs. current: there was no newer version. went-back: the new version did not start, and the old configuration is back in force',
    }),
    from: z.string().optional().meta({ description: 'Previous version' }),
    to: z.string().optional().meta({ description: 'Version that was tried; absent if there was none' }),
    reason: z.string().optional().meta({ description: 'Why the new version did not start' }),
    last_lines: z
      .array(z.string())
      .meta({ description: 'Last lines of output of a version that did not start, oldest first; otherwise empty' }),
    tools_changed: z
      .array(
        z.strictObject({
          part: lockPart.meta({ description: 'What changed' }),
          name: z.string().meta({ description: 'Its name, with invisible characters escaped' }),
          kind: z.enum(['changed', 'added', 'removed']).meta({ description: 'How it changed' }),
        }),
      )
      .meta({ description: 'Differences from the accepted tools. An upgrade accepts no changes' }),
  })
  .meta({ id: 'toolhaven.upgradeResult', description: 'How an upgrade ended' })
export type UpgradeResult = z.infer<typeof upgradeResult>

export const upgradeList = z
  .strictObject({ upgrades: z.array(upgrade).meta({ description: 'One entry for each workload, sorted by name' }) })
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
      'installed with. If a source does not answer, its workloads are unknown; the others are not affected.',
    success: ok(upgradeList, 'Every workload', { upgrades: [example] }),
    extension: true,
  },
  getUpgrade: {
    method: 'GET',
    path: `${API_PREFIX}/workloads/{name}/upgrade`,
    tag,
    summary: 'See what an upgrade would change',
    description: 'Lists changes to the version, variables, tools and configuration. Changes nothing.',
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
      'Answers when the new version runs, or when the old configuration is back in force because the new version did not ' +
      'start. The upgrade finishes even if the caller disconnects or the daemon restarts. A stopped workload is started for it and ' +
      'stopped again. Changed tools are not accepted.',
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
        when: 'it cannot be upgraded, is being upgraded, has changed in the meantime, or another version is the newest now',
        example: 'everything can now be upgraded to 2.1.0, not to 2.0.0; check the plan again',
      },
    },
    extension: true,
  },
} as const satisfies Routes
