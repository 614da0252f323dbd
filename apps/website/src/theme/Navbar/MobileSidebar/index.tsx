import { useNavbarMobileSidebar } from '@docusaurus/theme-common/internal'
import MobileSidebar from '@theme-original/Navbar/MobileSidebar'
import { type ReactElement, useEffect } from 'react'

/** The stock sidebar, which Escape closes too. */
export default function ClosableMobileSidebar(): ReactElement {
  const { shown, toggle } = useNavbarMobileSidebar()
  useEffect(() => {
    if (!shown) return undefined
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      toggle()
      document.querySelector<HTMLElement>('.navbar__toggle')?.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [shown, toggle])
  return <MobileSidebar />
}
