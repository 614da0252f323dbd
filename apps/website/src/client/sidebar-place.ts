interface RouteUpdate {
  location: { pathname: string }
  previousLocation: { pathname: string } | null
}

/** The sidebar is longer than the screen: where its current page would be out of sight, it is brought to the middle. */
export function onRouteDidUpdate({ location, previousLocation }: RouteUpdate): void {
  if (location.pathname === previousLocation?.pathname) return
  const menu = document.querySelector('.theme-doc-sidebar-container .menu')
  const current = menu?.querySelector('.menu__link[aria-current="page"]')
  if (menu == null || current == null) return
  const [frame, link] = [menu.getBoundingClientRect(), current.getBoundingClientRect()]
  if (link.top >= frame.top && link.bottom <= Math.min(frame.bottom, window.innerHeight)) return
  menu.scrollTop += link.top - frame.top - frame.height / 2
}
