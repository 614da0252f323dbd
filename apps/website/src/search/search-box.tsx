import type { FormEvent, KeyboardEvent, ReactElement, RefObject } from 'react'
import { enterPanel } from './panel-keys'
import styles from './search-modal.module.css'
import { MAX_QUERY } from './search-request'
import type { Autocomplete } from './use-search'

interface Props {
  autocomplete: Autocomplete
  status: string
  hasActive: boolean
  input: RefObject<HTMLInputElement | null>
  /** The element with the keys that can be used. */
  hintsId: string
  close: () => void
}

export function SearchBox({ autocomplete, status, hasActive, input, hintsId, close }: Props): ReactElement {
  const inputElement = input.current
  const form = autocomplete.getFormProps({ inputElement })
  const field = autocomplete.getInputProps({ inputElement, maxLength: MAX_QUERY })
  const onReset = (event: FormEvent) => {
    form.onReset(event)
    // Where a click does not move focus, there is no focus event that would bring the start screen.
    void autocomplete.refresh()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const dialog = event.currentTarget.closest('[role="dialog"]')
    if (enterPanel(event, dialog?.querySelector('[data-panel]') ?? null)) return
    // Without an active result Enter does nothing: it must not submit the form either.
    if (event.key === 'Enter' && !hasActive) event.preventDefault()
    field.onKeyDown(event)
  }
  return (
    <form className={styles.box} role="search" noValidate onSubmit={form.onSubmit} onReset={onReset}>
      <button type="submit" className={styles.submit} aria-label="Submit the query">
        <span className={styles.magnifier} data-spinning={status === 'stalled' || undefined} />
      </button>
      <input
        {...field}
        ref={input}
        className={styles.input}
        role="combobox"
        aria-label="Search"
        aria-labelledby={undefined}
        aria-describedby={hintsId}
        aria-autocomplete="list"
        aria-activedescendant={hasActive ? field['aria-activedescendant'] : undefined}
        aria-haspopup="listbox"
        aria-expanded={hasActive}
        aria-controls={hasActive ? field['aria-controls'] : undefined}
        placeholder="Search the documentation"
        spellCheck={false}
        onKeyDown={onKeyDown}
      />
      <button type="reset" className={styles.reset} hidden={field.value === ''} aria-label="Clear the query">
        <span aria-hidden="true">×</span>
      </button>
      <button type="button" className={styles.close} onClick={close}>
        Close
      </button>
    </form>
  )
}
