export interface LogControlsProps {
  isPrevious: boolean
  onPrevious: (isPrevious: boolean) => void
  isFollowing: boolean
  onFollow: (isFollowing: boolean) => void
  /** Undefined: there is nothing to download. */
  onDownload: (() => void) | undefined
}

/** Which life of the servers is shown, and whether new lines are followed. */
export function LogControls({ isPrevious, onPrevious, isFollowing, onFollow, onDownload }: LogControlsProps) {
  return (
    <>
      <label>
        Run
        <select
          value={isPrevious ? 'previous' : 'latest'}
          onChange={(event) => onPrevious(event.target.value === 'previous')}
        >
          <option value="latest">Latest</option>
          <option value="previous">Previous</option>
        </select>
      </label>
      {!isPrevious && (
        <button type="button" aria-pressed={isFollowing} onClick={() => onFollow(!isFollowing)}>
          {isFollowing ? 'Pause' : 'Follow'}
        </button>
      )}
      <button type="button" disabled={onDownload === undefined} onClick={onDownload}>
        Download
      </button>
    </>
  )
}
