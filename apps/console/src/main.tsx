import '@toolhaven/theme/tokens.css'
import './css/base.css'
import './css/shell.css'
import './css/parts.css'
import './css/tabs.css'
import './css/tables.css'
import './css/forms.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { followDaemon } from './live/follow-daemon.ts'
import { makeRouter } from './router.tsx'
import { pageSession } from './session/page-session.ts'

/** Nothing is fetched again for its age: the event stream says what changed. */
const cache = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Infinity, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})
const router = makeRouter(cache)
// A link that is pasted where the console is open already loads nothing.
addEventListener('hashchange', () => pageSession.isOffered() && location.reload())
void followDaemon(cache, new AbortController().signal)

const place = document.querySelector('#console')
if (place)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
