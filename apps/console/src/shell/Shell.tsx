import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useConnection } from '../live/connection.ts'
import { QuickAccess } from '../palette/QuickAccess.tsx'
import { ColourMode } from './ColourMode.tsx'
import { ConnectionBar } from './ConnectionBar.tsx'
import { Navigation } from './Navigation.tsx'

const LoginPage = lazy(() => import('../session/LoginPage.tsx').then((module) => ({ default: module.LoginPage })))

/** The frame of every page. */
export function Shell() {
  const connection = useConnection()
  const main = useFocusAfterNavigation()
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <a className="brand" href="/">
          <img src="/console.svg" alt="" width="24" height="24" /> Toolhaven
        </a>
        <div className="top-tools">
          <QuickAccess />
          <ColourMode />
        </div>
      </header>
      <Navigation />
      <div className="content">
        <ConnectionBar connection={connection} />
        <main id="main" ref={main} className={connection.state === 'away' ? 'outdated' : ''} tabIndex={-1}>
          <Suspense>{connection.state === 'locked' ? <LoginPage refusal={connection.refusal} /> : <Outlet />}</Suspense>
        </main>
      </div>
    </div>
  )
}

/** A reader of another page starts at its heading, as after a full load; a changed filter moves nothing. */
function useFocusAfterNavigation() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
