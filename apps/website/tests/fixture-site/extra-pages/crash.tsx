import Layout from '@theme/Layout'
import { type ReactElement, useState } from 'react'

declare global {
  interface Window {
    crashAgain?: boolean
  }
}

function Fragile(): ReactElement {
  const [broken, setBroken] = useState(false)
  if (broken && window.crashAgain !== false) throw new Error('A planted failure')
  return (
    <button type="button" onClick={() => setBroken(true)}>
      Break
    </button>
  )
}

export default function Crash(): ReactElement {
  return (
    <Layout>
      <main>
        <h1>Crash</h1>
        <Fragile />
      </main>
    </Layout>
  )
}
