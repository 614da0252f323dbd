import Head from '@docusaurus/Head'
import Link from '@docusaurus/Link'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import BaseUrlBanner from '@site/src/components/BaseUrlBanner'
import HavenPicture from '@site/src/components/HavenPicture'
import CopyLine from '@site/src/components/CopyLine'
import Terminal from '@site/src/components/Terminal'
import type { GatewayCost } from '@site/site/gateway-costs'
import type { RecordedStep } from '@site/site/recorded-run'
import Layout from '@theme/Layout'
import TabItem from '@theme/TabItem'
import Tabs from '@theme/Tabs'
import type { ReactElement } from 'react'
import styles from './index.module.css'

interface Card {
  to: string
  title: string
  text: string
}

const EDITIONS: readonly (Card & { state: 'Works' | 'In preparation' })[] = [
  {
    to: '/toolhaven/guides-cli/',
    title: 'Command line',
    text: 'Run, watch and remove servers from a terminal or a script, with thv.',
    state: 'Works',
  },
  {
    to: '/toolhaven/guides-ui/',
    title: 'Desktop UI',
    text: 'The same servers in your browser, for people who prefer not to use a terminal.',
    state: 'Works',
  },
  {
    to: '/toolhaven/guides-k8s/',
    title: 'Kubernetes operator',
    text: 'Describe a server as a resource and let the cluster run it for a whole team.',
    state: 'In preparation',
  },
]

const REASONS: readonly Card[] = [
  {
    to: '/toolhaven/guides-cli/run-mcp-servers',
    title: 'Every server isolated',
    text: 'Servers run in containers, or in a sandbox where there is no container engine. A server sees only what you give it.',
  },
  {
    to: '/toolhaven/guides-cli/network-isolation',
    title: 'Files and network by permission',
    text: 'A profile names the folders and hosts that a server may use. Without one, it sees no files and reaches only public hosts.',
  },
  {
    to: '/toolhaven/guides-cli/secrets-management',
    title: 'Secrets out of your configuration files',
    text: 'Keys are stored encrypted. A server gets the keys you name when it starts, and they are masked in logs.',
  },
  {
    to: '/toolhaven/guides-cli/client-configuration',
    title: 'Clients configured for you',
    text: 'Register an AI client once. Toolhaven keeps its configuration file up to date and leaves your own entries alone.',
  },
  {
    to: '/toolhaven/guides-cli/registry',
    title: 'A registry to start from',
    text: 'Find a server by name, read what it needs, and run it. Or use your own registry to choose what your team can run.',
  },
  {
    to: '/toolhaven/reference/api',
    title: 'An API for everything',
    text: 'Your programs can do everything that the command does, over HTTP on your machine. Every operation is documented.',
  },
]

export default function Home(): ReactElement {
  const { tagline } = useDocusaurusContext().siteConfig
  return (
    <Layout description="Toolhaven runs MCP servers in isolation and gives every AI client one safe way to reach them.">
      {/* In a search, the pages that it leads to come first. */}
      <Head>
        <meta name="docsearch:leads" content="true" />
      </Head>
      <BaseUrlBanner />
      <main>
        <Hero tagline={tagline} />
        <Start />
        <section className={`container ${styles.section}`} aria-labelledby="editions">
          <h2 id="editions">Three ways to use it</h2>
          <div className={styles.editions}>
            {EDITIONS.map(({ to, title, text, state }) => (
              <Link key={to} to={to} className={`card ${styles.card}`}>
                <span className={state === 'In preparation' ? styles.coming : styles.ready}>{state}</span>
                <h3>{title}</h3>
                <p>{text}</p>
              </Link>
            ))}
          </div>
        </section>
        <section className={`container ${styles.section}`} aria-labelledby="reasons">
          <h2 id="reasons">Other people’s programs, on your terms</h2>
          <p className={styles.lead}>
            MCP servers give AI clients their tools. Other people wrote these programs, and they run on your machine
            with your keys. Toolhaven isolates them.
          </p>
          <div className={styles.reasons}>
            {REASONS.map(({ to, title, text }) => (
              <Link key={to} to={to} className={styles.reason}>
                <h3>{title}</h3>
                <p>{text}</p>
              </Link>
            ))}
          </div>
        </section>
        <Costs />
      </main>
    </Layout>
  )
}

/** What the bench measured, as bars. */
function Costs(): ReactElement | null {
  const costs = useDocusaurusContext().siteConfig.customFields?.['gatewayCosts']
  if (!isCosts(costs)) return null
  const most = Math.max(...costs.map(({ cost }) => cost))
  return (
    <section className={`container ${styles.section}`} aria-labelledby="costs">
      <h2 id="costs">What a call costs</h2>
      <p className={styles.lead}>
        A gateway stands between your clients and a server. The bars show the processor time that each one needs for
        1,000 small calls. Less is better.{' '}
        <Link to="/toolhaven/concepts/performance">See all figures and how they are measured</Link>.
      </p>
      <dl className={styles.costs}>
        {costs.map(({ program, cost }, at) => (
          <div key={program} className={at === 0 ? styles.ours : undefined}>
            <dt>{program}</dt>
            <dd>
              <span className={styles.bar} style={{ width: `${(100 * cost) / most}%` }} />
              <span>{Math.round(cost).toLocaleString('en')} ms</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function isCosts(value: unknown): value is GatewayCost[] {
  return Array.isArray(value) && value.length > 0
}

const CLIENTS = [
  ['cursor', 'Cursor'],
  ['vscode', 'VS Code'],
  ['claude-code', 'Claude Code'],
  ['windsurf', 'Windsurf'],
] as const

/** A recorded run beside the steps to the same one. */
function Start(): ReactElement {
  const { recordedRun } = useDocusaurusContext().siteConfig.customFields ?? {}
  return (
    <section className={`container ${styles.section} ${styles.start}`} aria-labelledby="start">
      <div>
        <h2 id="start">Start in three steps</h2>
        <h3>1. Install</h3>
        <p>
          In a clone of the repository, on Linux, macOS (not verified yet) or Windows with WSL 2. The repository has no
          public address yet: use the one that you got it from. You need Node 20 or newer, npm, and Docker, Podman or
          bubblewrap. Leave it running, and open a second terminal in the same folder. See{' '}
          <Link to="/toolhaven/guides-cli/install">Install the CLI</Link>.
        </p>
        <CopyLine command="npm start" />
        <h3>2. Register your AI client</h3>
        <Tabs groupId="client">
          {CLIENTS.map(([name, label]) => (
            <TabItem key={name} value={name} label={label}>
              <CopyLine command={`npx thv client register ${name}`} />
            </TabItem>
          ))}
        </Tabs>
        <p>
          <Link to="/toolhaven/reference/client-compatibility">Client compatibility</Link> lists all of them.
        </p>
        <h3>3. Run a server</h3>
        <CopyLine command="npx thv run time" />
      </div>
      {isRun(recordedRun) ? <Terminal steps={recordedRun} /> : null}
    </section>
  )
}

function isRun(value: unknown): value is RecordedStep[] {
  return Array.isArray(value)
}

function Hero({ tagline }: { tagline: string }): ReactElement {
  return (
    <header className={styles.hero}>
      <div className={`container ${styles.heroInner}`}>
        <div>
          <p className={styles.tagline}>{tagline}</p>
          <h1 className={styles.title}>A safe harbour for MCP servers</h1>
          <p className={styles.promise}>
            Toolhaven runs each server in isolation, hands it only the files and secrets you name, and gives every AI
            client one fixed address to reach it.
          </p>
          <div className={styles.actions}>
            <Link className="button button--primary button--lg" to="/toolhaven/quickstart">
              Get started
            </Link>
            <Link className="button button--outline button--primary button--lg" to="/toolhaven/">
              Read the overview
            </Link>
          </div>
        </div>
        <HavenPicture />
      </div>
    </header>
  )
}
