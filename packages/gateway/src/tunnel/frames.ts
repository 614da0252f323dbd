import { z } from 'zod'

/** One line of JSON each. Connections opened from outside have even numbers, those from inside odd ones. */
const frame = z.union([
  /** Something inside listens. */
  z.strictObject({ ready: z.literal(true) }),
  z.strictObject({ open: z.int().nonnegative() }),
  z.strictObject({ data: z.int().nonnegative(), bytes: z.base64() }),
  z.strictObject({ end: z.int().nonnegative() }),
])
export type Frame = z.infer<typeof frame>

export function parseFrame(line: string): Frame | undefined {
  try {
    return frame.safeParse(JSON.parse(line)).data
  } catch {
    return undefined // not ours: a program may write to descriptor 1, past the preload
  }
}
