import { ForeignText } from '../parts/ForeignText.tsx'
import type { FieldsProps } from '../run/fields-props.ts'
import { TargetField } from '../run/SourceFields.tsx'
import type { EditBase } from './edit-base.ts'

/** What runs: a package, an image or an address that can be changed, or a folder of this machine. */
export function SourcePart({ base: { name, request }, form, onChange }: FieldsProps & { base: EditBase }) {
  const { folder } = request
  return (
    <fieldset className="panel">
      <legend>What runs</legend>
      {folder ? (
        <>
          <p>
            Your own server in the folder{' '}
            <code>
              <ForeignText text={folder.path} />
            </code>
            {folder.command && (
              <>
                , started with{' '}
                <code>
                  <ForeignText text={folder.command.join(' ')} />
                </code>
              </>
            )}
            . It may {folder.write ? '' : 'not '}change files there
            {folder.watch && ', and restarts when one changes'}.
          </p>
          <p className="muted">
            To change this, use <code>thv edit {name} --folder PATH</code>.
          </p>
        </>
      ) : (
        <TargetField form={form} onChange={onChange} />
      )}
    </fieldset>
  )
}
