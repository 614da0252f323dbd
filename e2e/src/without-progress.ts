/**
 * Without a terminal, commands report their progress every few seconds. How many such lines there are depends on the
 * machine.
 */
export function withoutProgress(output: string): string {
  return output.replaceAll(/^\[\d+ s\] .*\n/gm, '')
}
