import { setFlagsFromString } from 'node:v8'

/**
 * The engine counts buffers as part of its heap, and lets a heap on which little is made grow by 16 MB only before it looks
 * through all of it again: with messages of a megabyte that would be after every few calls, and most of what they cost. Four
 * times its size is what it allows by itself where much is made.
 */
export function leaveRoomForBuffers(): void {
  setFlagsFromString('--heap-growing-percent=300')
}
