import Link from '@docusaurus/Link'
import useDocusaurusContext from '@docusaurus/useDocusaurusContext'
import BaseUrlBanner from '@site/src/components/BaseUrlBanner'
import HavenPicture from '@site/src/components/HavenPicture'
import Layout from '@theme/Layout'
import type { ReactElement } from 'react'
import styles from './index.module.css'

interface Card {
  to: string
  title: string
  text: string
}

const EDITIONS: readonly (Card & { isReady: boolean })[] = [
  {
    to: '/toolhaven/guides-cli/',
    title: 'Command line',
    text: 'Run, watch and remove servers from a terminal or a script, with thv.',
    isReady: true,
  },
  {
    to: '/toolhaven/guides-ui/',
    title: 'Desktop UI',
    text: 'The same servers with windows and buttons, for those who do not live in a terminal.',
    isReady: false,
  },
  {
    to: '/toolhaven/guides-k8s/',
    title: 'Kubernetes operator',
    text: 'Describe a server as a resource and let the cluster run it for a whole team.',
    isReady: false,
  },
]

const REASONS: readonly Card[] = [
  {
    to: '/toolhaven/guides-cli/run-mcp-servers',
    title: 'Every server in its own box',
    text: 'A container where there is an engine, a sandboxed process where there is none. Either way a server sees nothing you did not hand it.',
  },
  {
    to: '/toolhaven/guides-cli/network-isolation',
    title: 'Files and network by permission',
    text: 'A profile names the folders a server may read and the hosts it may reach. What a profile leaves out stays closed.',
  },
  {
    to: '/toolhaven/guides-cli/secrets-management',
    title: 'Secrets that stay secret',
    text: 'Keys rest encrypted and are given to the one server that needs them, when it starts. They never appear in a log.',
  },
  {
    to: '/toolhaven/guides-cli/client-configuration',
    title: 'Clients set up for you',
    text: 'Register an AI client once. Its configuration file then follows the servers you run, and your own entries stay as they are.',
  },
  {
    to: '/toolhaven/guides-cli/registry',
    title: 'A registry to start from',
    text: 'Find a server by name, read what it needs, run it. Bring a registry of your own when you want to choose what is offered.',
  },
  {
    to: '/toolhaven/reference/api',
    title: 'An API for everything',
    text: 'Whatever the command can do, a program can do over HTTP on this machine, from a documented contract.',
  },
]

export default function Home(): ReactElement {
  const { tagline } = useDocusaurusContext().siteConfig
  return (
    <Layout description="Toolhaven runs MCP servers in isolation and gives every AI client one safe way to reach them.">
      <BaseUrlBanner />
      <main>
        <Hero tagline={tagline} />
        <section className={`container ${styles.section}`} aria-labelledby="editions">
          <h2 id="editions">Three ways to use it</h2>
          <div className={styles.editions}>
            {EDITIONS.map(({ to, title, text, isReady }) => (
              <Link key={to} to={to} className={`card ${styles.card}`}>
                <span className={isReady ? styles.ready : styles.coming}>
                  {isReady ? 'Works today' : 'In preparation'}
                </span>
                <h3>{title}</h3>
                <p>{text}</p>
              </Link>
            ))}
          </div>
        </section>
        <section className={`container ${styles.section}`} aria-labelledby="reasons">
          <h2 id="reasons">Other people’s programs, on your terms</h2>
          <p className={styles.lead}>
            MCP servers give AI clients their tools. They are programs written by others that run on your machine with
            your keys. Toolhaven puts walls around them.
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
      </main>
    </Layout>
  )
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
            client one steady address to reach it.
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
