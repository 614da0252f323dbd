import { type FormEvent, useState } from 'react'
import { ForeignText } from '../parts/ForeignText.tsx'
import { TextField } from '../run/TextField.tsx'

export interface TokenFormProps {
  server: string
  says: string
  onToken: (token: string) => void
}

/** A server that asks who calls asks that of this page too. */
export function TokenForm({ server, says, onToken }: TokenFormProps) {
  const [token, setToken] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onToken(token.trim())
  }
  return (
    <form className="notice warning" aria-label="Token" onSubmit={submit}>
      <p>
        {server} asks who calls: <ForeignText text={says} />
      </p>
      <TextField
        label="Access token"
        help="From the provider that the server trusts. This page forgets it when you close or reload it."
        type="password"
        value={token}
        isRequired
        onChange={setToken}
      />
      <div className="actions">
        <button type="submit" className="primary">
          Use this token
        </button>
      </div>
    </form>
  )
}
