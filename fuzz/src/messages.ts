import type { Json } from './target.ts'

export interface Task {
  target: string
  seed: number
  milliseconds: number
  /** The input that is being tried, in case it never returns: its length in the first four bytes, then the text. */
  current: SharedArrayBuffer
}

export interface Failure {
  /** Undefined where no input is to blame. */
  input: Json | undefined
  error: string
}

/** What a worker reports. */
export type Report =
  | { kind: 'progress'; executions: number; outcomes: number }
  | { kind: 'done'; executions: number; fresh: Json[]; outcomes: number; failure: Failure | undefined }
