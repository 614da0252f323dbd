/** A flag as it is typed: `withWorkloads` is `--with-workloads`. */
export function spelledFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
