import { useColorMode } from '@docusaurus/theme-common'
import { type ReactElement, useEffect, useRef } from 'react'
import { RedocStandalone } from 'redoc'
import { keepHeadingsInOrder } from './heading-order'
import styles from './styles.module.css'

const BODY = "'Instrument Sans Variable', system-ui, sans-serif"
const MONO = "'JetBrains Mono Variable', ui-monospace, monospace"

/** Real values and not CSS variables: the viewer computes shades from them. */
const COLORS = {
  light: {
    primary: '#0a7264',
    text: '#12282e',
    muted: '#465c63',
    line: '#dce6e5',
    surface: '#f3f7f6',
    page: '#fdfefe',
  },
  dark: { primary: '#56d8bc', text: '#dde9e8', muted: '#a7bbbe', line: '#1d3038', surface: '#0c181d', page: '#081217' },
} as const

export default function Viewer({ specUrl }: { specUrl: string }): ReactElement {
  const { colorMode } = useColorMode()
  const viewer = useRef<HTMLDivElement>(null)
  useEffect(() => followActive(viewer.current), [])
  useEffect(() => (viewer.current === null ? undefined : keepHeadingsInOrder(viewer.current)), [])
  return (
    <div className={styles.viewer} ref={viewer}>
      {/* A key: the viewer takes its theme once, when it is made. */}
      <RedocStandalone key={colorMode} specUrl={specUrl} options={{ ...behaviour, theme: themeOf(colorMode) }} />
    </div>
  )
}

/** The menu is longer than the window: its active entry is brought into sight, which the viewer leaves undone. */
function followActive(viewer: HTMLElement | null): (() => void) | undefined {
  if (viewer === null) return undefined
  const observer = new MutationObserver((records) => {
    const isOfMenu = records.some(({ target }) => target instanceof Element && target.closest('.menu-content') !== null)
    const active = [...viewer.querySelectorAll('.menu-content label.active')].at(-1)
    if (active === undefined || !isOfMenu) return
    let frame = active.parentElement
    while (frame !== null && frame !== viewer && frame.scrollHeight <= frame.clientHeight) frame = frame.parentElement
    if (frame === null || frame === viewer) return
    const [outer, inner] = [frame.getBoundingClientRect(), active.getBoundingClientRect()]
    if (inner.top < outer.top || inner.bottom > outer.bottom)
      frame.scrollTop += inner.top - outer.top - outer.height / 2
  })
  observer.observe(viewer, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] })
  return () => observer.disconnect()
}

const behaviour = {
  scrollYOffset: '.navbar',
  expandSingleSchemaField: true,
  expandResponses: '200,201,202,204',
  hideDownloadButton: true,
  disableSearch: true,
  // In one column, method and address would else come after the answers.
  pathInMiddlePanel: true,
  menuToggle: true,
  nativeScrollbars: true,
  sortTagsAlphabetically: true,
  suppressWarnings: true,
}

function themeOf(mode: 'light' | 'dark') {
  const colors = COLORS[mode]
  return {
    // So wide that the viewer keeps to one column inside the page.
    breakpoints: { medium: '130rem', large: '130rem' },
    spacing: { sectionVertical: 20, sectionHorizontal: 16 },
    colors: {
      primary: { main: colors.primary, light: colors.primary },
      text: { primary: colors.text, secondary: colors.muted },
      border: { dark: colors.line, light: colors.line },
      gray: { 50: colors.surface, 100: colors.surface },
      success: { main: mode === 'dark' ? '#62d99a' : '#1b6b3c' },
      error: { main: mode === 'dark' ? '#ff9b93' : '#a92219' },
      responses: {
        success: { color: mode === 'dark' ? '#62d99a' : '#1b6b3c', backgroundColor: colors.surface },
        error: { color: mode === 'dark' ? '#ff9b93' : '#a92219', backgroundColor: colors.surface },
      },
      http: { get: '#0b6e4f', post: '#0b5fa5', put: '#8a4b00', delete: '#a92219' },
    },
    schema: {
      nestedBackground: colors.surface,
      linesColor: colors.line,
      typeNameColor: colors.muted,
      typeTitleColor: colors.text,
      requireLabelColor: mode === 'dark' ? '#ff9b93' : '#a92219',
    },
    sidebar: {
      width: '300px',
      backgroundColor: colors.page,
      textColor: colors.text,
      activeTextColor: colors.primary,
    },
    rightPanel: { backgroundColor: '#0c181d', textColor: '#dde9e8' },
    typography: {
      fontFamily: BODY,
      fontSize: '15px',
      headings: { fontFamily: BODY, fontWeight: '650' },
      code: { fontFamily: MONO, fontSize: '13px', wrap: true, color: colors.text, backgroundColor: colors.surface },
      links: { color: colors.primary },
    },
    codeBlock: { backgroundColor: '#0c181d' },
    fab: { backgroundColor: colors.surface, color: colors.primary },
  }
}
