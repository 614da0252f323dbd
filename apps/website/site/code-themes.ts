import type { PrismTheme } from 'prism-react-renderer'

/** Every colour here has a contrast of at least 4.5 to the block's background, in its mode. */
function codeTheme(colors: {
  plain: string
  background: string
  quiet: string
  word: string
  text: string
  value: string
  name: string
}): PrismTheme {
  return {
    plain: { color: colors.plain, backgroundColor: colors.background },
    styles: [
      { types: ['comment', 'prolog', 'doctype', 'cdata'], style: { color: colors.quiet, fontStyle: 'italic' } },
      { types: ['punctuation', 'operator'], style: { color: colors.quiet } },
      { types: ['keyword', 'builtin', 'atrule', 'selector', 'important'], style: { color: colors.word } },
      { types: ['string', 'char', 'attr-value', 'inserted', 'url'], style: { color: colors.text } },
      { types: ['number', 'boolean', 'constant', 'symbol', 'variable'], style: { color: colors.value } },
      {
        types: ['function', 'property', 'tag', 'attr-name', 'class-name', 'label-key', 'metric-name', 'parameter'],
        style: { color: colors.name },
      },
      { types: ['deleted'], style: { color: colors.value } },
    ],
  }
}

export const codeThemeLight = codeTheme({
  plain: '#17313a',
  background: '#f3f7f6',
  quiet: '#54686e',
  word: '#8a3ffc',
  text: '#0a6b4f',
  value: '#a3480b',
  name: '#0b5fa5',
})

export const codeThemeDark = codeTheme({
  plain: '#d9e7e6',
  background: '#0c181d',
  quiet: '#8fa6ab',
  word: '#c4a5ff',
  text: '#7fdcb5',
  value: '#ffb86b',
  name: '#7cc7ff',
})
