/** 24 by 24, drawn with a line of two. */
const PATHS = {
  home: 'M4 11 12 4l8 7M6 9.5V20h12V9.5',
  servers: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.01M7.5 16.5h.01',
  registry: 'M5 4h11l3 3v13H5zM9 10h6M9 14h6',
  clients: 'M4 5h16v11H4zM9 20h6M12 16v4',
  secrets: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  groups: 'M4 5h6v6H4zM14 5h6v6h-6zM4 15h6v4H4zM14 15h6v4h-6z',
  settings: 'M5 7h9M18 7h1M5 17h1M10 17h9M16 5v4M8 15v4',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
} as const
export type IconName = keyof typeof PATHS

/** Always beside a word, so nothing reads it out. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
