import { describe, expect, it } from 'vitest'
import { createMarker } from './mark.ts'
import { readQuery } from './query-words.ts'
import { createVocabulary } from './vocabulary.ts'
import { wordsOf } from './words.ts'

const TEXT = 'one two three four five six seven secrets nine <b>ten</b> eleven twelve & "more" after it'
const vocabulary = createVocabulary([...new Set(wordsOf(TEXT).map(({ form }) => form))])
const marker = (query: string) =>
  createMarker(vocabulary.terms, readQuery(vocabulary, query), {
    tags: { pre: '<mark>', post: '</mark>' },
    ellipsis: '…',
  })

describe('a highlight', () => {
  it('marks what was typed of a word, and the whole word where it has an error', () => {
    expect(marker('sec').highlight('secrets').value).toBe('<mark>sec</mark>rets')
    expect(marker('secrest').highlight('secrets').value).toBe('<mark>secrets</mark>')
  })

  it('escapes everything but its own tags', () => {
    expect(marker('ten').highlight('<b>ten</b> & "x" \'y\'').value).toBe(
      '&lt;b&gt;<mark>ten</mark>&lt;/b&gt; &amp; &quot;x&quot; &#39;y&#39;',
    )
  })

  it('tells how much of the query is in the text', () => {
    const levels = ['one two', 'one', 'nine'].map((text) => marker('one two').highlight(text).matchLevel)
    expect(levels).toEqual(['full', 'partial', 'none'])
  })
})

describe('a snippet', () => {
  it('has the given number of words, around the match, with the ends marked', () => {
    const { value } = marker('secrets').snippet(TEXT, 5)
    expect(value).toBe('…six seven <mark>secrets</mark> nine &lt;b…')
  })

  it('is the whole text where that is short', () => {
    expect(marker('two').snippet('one two.', 5).value).toBe('one <mark>two</mark>.')
  })

  it('is the beginning where nothing matches', () => {
    expect(marker('zebra').snippet(TEXT, 3).value).toBe('one two three…')
  })
})
