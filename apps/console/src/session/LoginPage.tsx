import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../api.ts'
import { Code } from '../parts/Code.tsx'
import { PageTitle } from '../parts/PageTitle.tsx'
import { Problem } from '../parts/Problem.tsx'
import { TextField } from '../run/TextField.tsx'
import { pageSession } from './page-session.ts'

/** The two ways in. `refusal`: why the link that was opened is none. */
export function LoginPage({ refusal }: { refusal: string | undefined }) {
  const [token, setToken] = useState('')
  const login = useMutation({
    mutationFn: () => pageSession.logIn({ token }),
    // Everything begins again with the login; nothing was loaded that could be lost.
    onSuccess: () => location.reload(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    login.mutate()
  }
  return (
    <>
      <PageTitle title="Log in" />
      {refusal !== undefined && <Problem message={refusal} />}
      <section className="panel" aria-label="With a link">
        <p>This daemon asks for a login. On its machine, this command opens the console with one:</p>
        <Code text="thv ui" label="Copy the command" />
      </section>
      <form className="panel form" onSubmit={submit} aria-label="With the token">
        <TextField label="Or paste the API token" type="password" value={token} isRequired onChange={setToken} />
        {login.error && <Problem message={messageOf(login.error)} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={login.isPending}>
            Log in
          </button>
        </div>
      </form>
    </>
  )
}
