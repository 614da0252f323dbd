import Screenshot from '@site/src/components/Screenshot'
import MDXComponents from '@theme-original/MDXComponents'
import DocCardList from '@theme/DocCardList'
import TabItem from '@theme/TabItem'
import Tabs from '@theme/Tabs'
import type { ComponentProps, ReactElement } from 'react'

/** A wide table scrolls by itself on a narrow screen: keys must reach it too. */
function Table(props: ComponentProps<'table'>): ReactElement {
  return <table tabIndex={0} {...props} />
}

/** Pages use these without importing them. */
export default { ...MDXComponents, DocCardList, Screenshot, TabItem, Tabs, table: Table }
