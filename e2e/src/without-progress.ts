/** Without a terminal, commands tell every few seconds how far they are. How many such lines there are depends on the machine. */
export function withoutProgress(output: string): string {
  return output.replaceAll(/^\[\d+ s\] .*\n/gm, '')
}
