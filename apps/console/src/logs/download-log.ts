import { saveFile } from '../parts/save-file.ts'
import type { LogLine } from './log-buffer.ts'

/** A line of the file begins with what is known of it. */
export function downloadLog(fileName: string, lines: readonly (LogLine & { workload?: string })[]): void {
  const text = lines
    .map(({ time, workload, stream, text }) => [time, workload, stream, text].filter(Boolean).join(' '))
    .join('\n')
  saveFile(fileName, [`${text}\n`], 'text/plain')
}
