import type { PrismTheme } from 'prism-react-renderer'

/**
 * One theme for both modes: its colours are variables of src/css/code.css. The stock way, a theme for each mode, paints
 * every block in the default mode until the scripts have run.
 */
export const codeTheme: PrismTheme = {
  plain: { color: 'var(--code-plain)', backgroundColor: 'var(--code-background)' },
  styles: [
    { types: ['comment', 'prolog', 'doctype', 'cdata'], style: { color: 'var(--code-quiet)', fontStyle: 'italic' } },
    { types: ['punctuation', 'operator'], style: { color: 'var(--code-quiet)' } },
    { types: ['keyword', 'builtin', 'atrule', 'selector', 'important'], style: { color: 'var(--code-word)' } },
    { types: ['string', 'char', 'attr-value', 'inserted', 'url'], style: { color: 'var(--code-text)' } },
    {
      types: ['number', 'boolean', 'constant', 'symbol', 'variable', 'deleted'],
      style: { color: 'var(--code-value)' },
    },
    {
      types: ['function', 'property', 'tag', 'attr-name', 'class-name', 'label-key', 'metric-name', 'parameter'],
      style: { color: 'var(--code-name)' },
    },
  ],
}
