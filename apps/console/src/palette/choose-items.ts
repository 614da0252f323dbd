export const SECTIONS = [
  'On this page',
  'Go to',
  'Servers',
  'Groups',
  'Clients',
  'Registry',
  'Settings',
  'Documentation',
] as const
export type PaletteSection = (typeof SECTIONS)[number]

export interface PaletteItem {
  id: string
  section: PaletteSection
  label: string
  /** Told beside the label, and found as well. */
  detail: string
  /** A button of the page that is pressed, an address of the console, or one outside. */
  leads: { press: HTMLElement } | { to: string } | { outside: string }
}

/** As many as one looks over at a time. */
const MOST = 7
/** With nothing typed: what a person may want without knowing its name. */
const SHOWN_AT_FIRST: readonly PaletteSection[] = ['On this page', 'Go to', 'Servers']

/** The items that have every word, section by section; labels that begin with what was typed come first. */
export function chooseItems(all: readonly PaletteItem[], typed: string): PaletteItem[] {
  const text = typed.trim().toLowerCase()
  const words = text.split(/\s+/).filter(Boolean)
  const fits = ({ label, detail, section }: PaletteItem) => {
    if (words.length === 0) return SHOWN_AT_FIRST.includes(section)
    const found = `${section} ${label} ${detail}`.toLowerCase()
    return words.every((word) => found.includes(word))
  }
  const rank = ({ label }: PaletteItem) => {
    const name = label.toLowerCase()
    return name === text ? 0 : name.startsWith(text) ? 1 : name.includes(text) ? 2 : 3
  }
  const found = all.filter(fits).toSorted((one, other) => rank(one) - rank(other))
  return SECTIONS.flatMap((section) => found.filter((item) => item.section === section).slice(0, MOST))
}
