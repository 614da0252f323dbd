import type { InstanceLock, LockState } from '@toolhaven/stores/files/instance-lock'

/** A folder that is temporarily inaccessible is not lost. */
export const lockState = (lock: InstanceLock): Promise<LockState> => lock.state().catch(() => 'held' as const)

/** Why this daemon no longer owns the folder, as a clause. */
export async function stateLoss(lock: InstanceLock, stateDir: string): Promise<string | undefined> {
  const state = await lockState(lock)
  return state === 'held' ? undefined : describeLoss(state, stateDir)
}

export function describeLoss(state: Exclude<LockState, 'held'>, stateDir: string): string {
  return `the state folder ${stateDir} ${state === 'gone' ? 'was removed' : 'belongs to another daemon now'}`
}
