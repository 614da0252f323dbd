import type { InstanceLock, LockState } from '@toolhaven/stores/files/instance-lock'

/** One that cannot be seen at the moment is not lost. */
export const lockState = (lock: InstanceLock): Promise<LockState> => lock.state().catch(() => 'held' as const)

/** Why the folder is no longer this daemon's, as a clause. */
export async function stateLoss(lock: InstanceLock, stateDir: string): Promise<string | undefined> {
  const state = await lockState(lock)
  return state === 'held' ? undefined : describeLoss(state, stateDir)
}

export function describeLoss(state: Exclude<LockState, 'held'>, stateDir: string): string {
  return `the state folder ${stateDir} ${state === 'gone' ? 'was removed' : 'belongs to another daemon now'}`
}
