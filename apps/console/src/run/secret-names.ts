import type { NamedValue, RunForm } from './run-form.ts'

/** A value that the form puts into the secret store. */
export interface NewSecret {
  /** Tells a variable from a header of the same name. */
  id: string
  given: NamedValue
}

export function newSecrets(form: Pick<RunForm, 'variables' | 'headers'>): NewSecret[] {
  return (['variables', 'headers'] as const).flatMap((part) =>
    form[part]
      .filter(({ isSecret, stored, value }) => isSecret && stored === undefined && value !== '')
      .map((given) => ({ id: `${part}.${given.name}`, given })),
  )
}

export function secretNameFor(form: RunForm, value: NamedValue): string {
  return value.stored ?? value.key ?? wishFor(form, value)
}

/** What it is for, and for whom. */
function wishFor(form: RunForm, { name }: NamedValue): string {
  return `${form.name.trim() || 'server'}-${name.trim()}`
}

/** The form with a free name for each new secret. One that this form stored before keeps its name. */
export function nameSecrets(form: RunForm, taken: readonly string[], own: ReadonlyMap<string, string>): RunForm {
  const used = new Set(taken)
  const keys = new Map<NamedValue, string>()
  for (const { id, given } of newSecrets(form)) {
    const key = own.get(id) ?? freeName(wishFor(form, given), used)
    used.add(key)
    keys.set(given, key)
  }
  const named = (value: NamedValue) => {
    const key = keys.get(value)
    return key === undefined ? value : { ...value, key }
  }
  return { ...form, variables: form.variables.map(named), headers: form.headers.map(named) }
}

function freeName(wish: string, used: ReadonlySet<string>): string {
  let name = wish
  for (let number = 2; used.has(name); number += 1) name = `${wish}-${number}`
  return name
}
