/**
 * Tells a screen reader the levels of the viewer's headings without a gap. The viewer chooses its headings by their size:
 * below the name of an operation (h2) come h5 and h3, at the same depth.
 */
export function keepHeadingsInOrder(viewer: HTMLElement): () => void {
  let frame = 0
  const setLevels = () => {
    frame = 0
    const open: number[] = []
    for (const heading of viewer.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
      const size = Number(heading.tagName.slice(1))
      while ((open.at(-1) ?? 0) >= size) open.pop()
      open.push(size)
      const level = String(open.length)
      if (heading.getAttribute('aria-level') !== level) heading.setAttribute('aria-level', level)
    }
  }
  const observer = new MutationObserver(() => (frame ||= requestAnimationFrame(setLevels)))
  observer.observe(viewer, { subtree: true, childList: true })
  return () => {
    observer.disconnect()
    cancelAnimationFrame(frame)
  }
}
