import { setFlagsFromString } from 'node:v8'

/**
 * V8 counts buffers as part of its heap. It lets a heap with few allocations grow by only 16 MB before the next full garbage
 * collection. With messages of a megabyte, that is every few calls, and most of their cost. Under many allocations, V8 lets
 * the heap grow to four times its size; this setting always allows that.
 */
export function leaveRoomForBuffers(): void {
  setFlagsFromString('--heap-growing-percent=300')
}
