import { getRouteApi, useLocation } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { isNameOfSecret, type NamedValue, type RunForm } from './run-form.ts'

const here = getRouteApi('/run')

/** What was typed before a reload or the way back; it is in this entry of the browser's history. */
export function useKeptForm(): RunForm | undefined {
  return useLocation({ select: ({ state }) => state.runForm })
}

/** Keeps a form, or forgets the one that was kept. */
export function useKeepForm(): (form: RunForm | undefined) => void {
  const navigate = here.useNavigate()
  return useCallback(
    (form) =>
      void navigate({
        search: (before) => before,
        state: (before) => ({ ...before, runForm: form && withoutSecretValues(form) }),
        ...{ replace: true, resetScroll: false },
      }),
    [navigate],
  )
}

const PAUSE_MS = 300

/** Keeps what is typed, a moment after the last key, until the server was made. */
export function useKeepTyped(form: RunForm, isMade: boolean): void {
  const keep = useKeepForm()
  const first = useRef(form)
  useEffect(() => {
    if (first.current === form && !isMade) return undefined
    const timer = setTimeout(() => keep(isMade ? undefined : form), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [form, isMade, keep])
}

/** Browsers write their history to the disk. */
export function withoutSecretValues(form: RunForm): RunForm {
  const withoutValue = (each: NamedValue) =>
    each.isSecret || isNameOfSecret(each.name) ? { ...each, value: '' } : each
  return { ...form, variables: form.variables.map(withoutValue), headers: form.headers.map(withoutValue) }
}
