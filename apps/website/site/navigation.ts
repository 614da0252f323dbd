import type { ThemeConfig } from '@docusaurus/preset-classic'
import { type SiteSettings, links } from './settings'

type NavbarConfig = NonNullable<ThemeConfig['navbar']>
type NavbarItem = NonNullable<NavbarConfig['items']>[number]

/** Icons are drawn by CSS masks (src/css/icons.css); the name is for those who do not see them. */
const icon = (name: string, href: string, label: string): NavbarItem => ({
  href,
  position: 'right',
  className: `icon-link icon-link--${name}`,
  'aria-label': label,
})

export function navbar(settings: SiteSettings): NavbarConfig {
  const docs: NavbarItem = {
    type: 'dropdown',
    label: 'Docs',
    position: 'left',
    items: [
      { label: 'Home', to: '/toolhaven' },
      { label: 'Tutorials', to: '/toolhaven/tutorials' },
      { label: 'Desktop UI guides', to: '/toolhaven/guides-ui/' },
      { label: 'CLI guides', to: '/toolhaven/guides-cli/' },
      { label: 'Kubernetes operator guides', to: '/toolhaven/guides-k8s/' },
    ],
  }
  const references: NavbarItem = {
    type: 'dropdown',
    label: 'References',
    position: 'left',
    items: [
      { label: 'CLI commands (thv)', to: '/toolhaven/reference/cli/thv' },
      { label: 'API', to: '/toolhaven/reference/api' },
      { label: 'Registry schema', to: '/toolhaven/reference/registry-schema' },
      { label: 'Operator CRD', to: '/toolhaven/reference/crd-spec' },
    ],
  }
  const versions: NavbarItem = { type: 'docsVersionDropdown', position: 'right' }
  return {
    hideOnScroll: false,
    title: 'Toolhaven',
    // Its name stands beside it.
    logo: { alt: '', src: 'img/logo.svg', href: '/', width: 32, height: 32 },
    items: [
      docs,
      references,
      ...(settings.docs ? [versions] : []),
      { type: 'localeDropdown', position: 'right' },
      icon('source', links.source, 'Source code'),
      icon('chat', links.chat, 'Chat community'),
      icon('video', links.video, 'Video channel'),
      { type: 'search', position: 'right' },
    ],
  }
}

/** Drawn by src/theme/Footer, which adds the icon links of the settings. */
export const footer = {
  copyright: 'Copyright © 2025 The Toolhaven authors. Apache License 2.0.',
  links: [
    {
      title: 'Start',
      items: [
        { label: 'Overview', to: '/toolhaven/' },
        { label: 'Quickstart', to: '/toolhaven/quickstart' },
        { label: 'Tutorials', to: '/toolhaven/tutorials' },
        { label: 'FAQ', to: '/toolhaven/faq' },
      ],
    },
    {
      title: 'Guides',
      items: [
        { label: 'CLI', to: '/toolhaven/guides-cli/' },
        { label: 'Desktop UI', to: '/toolhaven/guides-ui/' },
        { label: 'Kubernetes', to: '/toolhaven/guides-k8s/' },
        { label: 'Concepts', to: '/toolhaven/concepts' },
      ],
    },
    {
      title: 'Reference',
      items: [
        { label: 'Commands', to: '/toolhaven/reference/cli/thv' },
        { label: 'API', to: '/toolhaven/reference/api' },
        { label: 'Registry schema', to: '/toolhaven/reference/registry-schema' },
        { label: 'Client compatibility', to: '/toolhaven/reference/client-compatibility' },
      ],
    },
  ],
}
