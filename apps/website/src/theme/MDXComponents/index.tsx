import MDXComponents from '@theme-original/MDXComponents'
import DocCardList from '@theme/DocCardList'
import TabItem from '@theme/TabItem'
import Tabs from '@theme/Tabs'

/** Pages use these without importing them. */
export default { ...MDXComponents, DocCardList, TabItem, Tabs }
