import ExecutionEnvironment from '@docusaurus/ExecutionEnvironment'
import siteConfig from '@generated/docusaurus.config'

/** Page views, counted by the site itself: no cookie, nobody else is told. In development they are only logged. */
const script = process.env.NODE_ENV === 'production' ? 'script.js' : 'script.debug.js'

if (ExecutionEnvironment.canUseDOM) {
  const element = document.createElement('script')
  element.src = `${siteConfig.baseUrl}insights/${script}`
  element.defer = true
  element.addEventListener('error', () => {
    // eslint-disable-next-line no-console -- developers only: readers see nothing
    console.log(`The analytics script could not be loaded from ${element.src}; the site works without it.`)
  })
  document.head.append(element)
}

interface RouteUpdate {
  location: { pathname: string }
  previousLocation: { pathname: string } | null
}

export function onRouteDidUpdate({ location, previousLocation }: RouteUpdate): void {
  if (previousLocation === null || location.pathname === previousLocation.pathname) return
  window.dispatchEvent(new CustomEvent('insights:view', { detail: location.pathname }))
}
