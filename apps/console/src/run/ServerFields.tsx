import { FieldProblems } from './FieldProblems.tsx'
import type { FieldsProps } from './fields-props.ts'
import { FolderPicker } from './FolderPicker.tsx'
import { GroupField } from './GroupField.tsx'
import { LimitFields } from './LimitFields.tsx'
import { NetworkFields } from './NetworkFields.tsx'
import { type Basis, linesOf } from './run-form.ts'
import { Section } from './Section.tsx'
import { TextField } from './TextField.tsx'
import { HEADERS, ValueFields, VARIABLES } from './ValueFields.tsx'

export interface ServerFieldsProps extends FieldsProps {
  basis: Basis
  /** The server is there, so that its name stays. */
  isMade: boolean
}

/** Everything of a server besides what it is made from, for the form that runs one and the one that changes it. */
export function ServerFields({ form, onChange, basis, isMade }: ServerFieldsProps) {
  return (
    <>
      <NameFields form={form} onChange={onChange} isMade={isMade} />
      {basis.isRemote && <ValueFields form={form} onChange={onChange} kind={HEADERS} />}
      {(!basis.isRemote || form.variables.length > 0) && (
        <ValueFields form={form} onChange={onChange} kind={VARIABLES} />
      )}
      {!basis.isRemote && <NetworkFields form={form} onChange={onChange} />}
      {!basis.isRemote && <InsideFields form={form} onChange={onChange} basis={basis} />}
      <LimitFields form={form} onChange={onChange} isRemote={basis.isRemote} />
    </>
  )
}

function NameFields({ form, onChange, isMade }: FieldsProps & { isMade: boolean }) {
  return (
    <fieldset className="panel">
      <legend>Name</legend>
      <TextField
        label="Name"
        help={isMade ? undefined : 'Default: derived from the server'}
        value={form.name}
        isDisabled={isMade}
        field="name"
        onChange={(name) => onChange({ name })}
      />
      <GroupField group={form.group} onChange={(group) => onChange({ group })} />
    </fieldset>
  )
}

function InsideFields({ form, onChange, basis: { asksForFolders } }: FieldsProps & { basis: Basis }) {
  return (
    <Section
      title="Folders and arguments"
      unset="None"
      hasValue={form.volumes !== '' || form.args !== '' || asksForFolders}
      fields={['volumes', 'cmd_arguments', 'accept_mounts']}
    >
      <TextField
        label="Folders"
        help="One on each line: folder:place inside. Add :ro to make it read-only"
        value={form.volumes}
        rows={2}
        field="volumes"
        onChange={(volumes) => onChange({ volumes })}
      />
      <FolderPicker onChoose={(line) => onChange({ volumes: [...linesOf(form.volumes), line].join('\n') })} />
      <TextField
        label="Arguments"
        help="One on each line"
        value={form.args}
        rows={2}
        field="cmd_arguments"
        onChange={(args) => onChange({ args })}
      />
      {asksForFolders && (
        <label className="choice-line">
          <input
            type="checkbox"
            checked={form.acceptMounts}
            onChange={(event) => onChange({ acceptMounts: event.target.checked })}
          />
          Allow the folders that the registry entry asks for
        </label>
      )}
      <FieldProblems fields={['accept_mounts']} />
    </Section>
  )
}
