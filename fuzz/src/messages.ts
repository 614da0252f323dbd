import type { Json } from './target.ts'

export interface Task {
  target: string
  seed: number
  milliseconds: number
  /** What is being tried, for the case that it never comes back: its length in the first four bytes, then the text. */
  current: SharedArrayBuffer
}

export interface Failure {
  /** Undefined where no input is to blame. */
  input: Json | undefined
  error: string
}

/** What a worker tells. */
export type Report =
  | { kind: 'progress'; executions: number; outcomes: number }
  | { kind: 'done'; executions: number; fresh: Json[]; outcomes: number; failure: Failure | undefined }
