import { type Bench, lessIsBetter } from '../figure.ts'
import { COUNT } from '../rig/hundred.ts'

/** What one more idle workload costs the daemon. The servers themselves are other processes and do not count. */
export const memory: Bench = {
  name: 'memory',
  title: `Resident memory of the daemon with ${COUNT} idle workloads`,
  run: async (rig) => {
    const { residentMb } = await rig.hundred()
    const { none, one, all } = residentMb
    return [
      lessIsBetter({ name: 'daemon, all against none', unit: 'MB', ours: all, baseline: none }),
      lessIsBetter({
        name: 'per idle workload',
        unit: 'MB',
        ours: (all - none) / COUNT,
        baseline: none,
        target: { of: 'ours', below: 3 },
        note: `after the first one: ${((all - one) / (COUNT - 1)).toFixed(2)} MB each; baseline: the daemon without any`,
      }),
    ]
  },
}
