/** What readers call a thing, and what the pages call it. Each word of a line also finds the others, after itself. */
const GROUPS = `
  env environment
  config configuration
  boot reboot startup autostart
  delete remove
  directory folder dir
  repo repository
  k8s kubernetes
  cert certificate
  update upgrade
  ram memory
  perms permissions
  osx macos mac
  js javascript
  ts typescript
`

const GROUP_OF = new Map<string, readonly string[]>(
  GROUPS.trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
    .flatMap((group) => group.map((word) => [word, group] as const)),
)

/** Other words for the same thing. */
export const synonymsOf = (form: string): readonly string[] =>
  GROUP_OF.get(form)?.filter((other) => other !== form) ?? []
