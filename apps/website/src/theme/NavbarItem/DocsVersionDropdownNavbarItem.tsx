import {
  useActiveDocContext,
  useDocsPreferredVersion,
  useDocsVersionCandidates,
  useVersions,
} from '@docusaurus/plugin-content-docs/client'
import { useLocation } from '@docusaurus/router'
import DropdownNavbarItem from '@theme/NavbarItem/DropdownNavbarItem'
import type { Props } from '@theme/NavbarItem/DocsVersionDropdownNavbarItem'
import type { ReactElement } from 'react'

/** A dropdown even while there is one version: the stock item then turns into a plain link. */
export default function DocsVersionDropdownNavbarItem({ docsPluginId, mobile, className }: Props): ReactElement {
  const { search, hash } = useLocation()
  const versions = useVersions(docsPluginId)
  const active = useActiveDocContext(docsPluginId)
  const [shown] = useDocsVersionCandidates(docsPluginId)
  const { savePreferredVersionName } = useDocsPreferredVersion(docsPluginId)
  const items = versions.map((version) => {
    const target = active.alternateDocVersions[version.name] ?? version.docs.find(({ id }) => id === version.mainDocId)
    return {
      label: version.label,
      to: `${target?.path ?? version.path}${search}${hash}`,
      isActive: () => version === active.activeVersion,
      onClick: () => savePreferredVersionName(version.name),
    }
  })
  return (
    <DropdownNavbarItem
      className={className}
      mobile={mobile}
      label={mobile === true ? 'Versions' : shown.label}
      items={items}
      isActive={() => false}
    />
  )
}
