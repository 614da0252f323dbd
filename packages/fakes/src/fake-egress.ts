import type { Egress, EgressEvents, OutboundRules, WayOut } from '@toolhaven/core/ports/egress'

/** Opens no real way out. Records which workloads have one open, and its rules. */
export class FakeEgress implements Egress {
  readonly rules = new Map<string, OutboundRules>()
  events: EgressEvents = { onBlocked: () => {}, onSeen: () => {} }

  async open(workload: string, rules: OutboundRules): Promise<WayOut> {
    this.rules.set(workload, rules)
    return { folder: `/egress/${workload}`, proxy: 'p', direct: 'd', names: 'n', ports: [] }
  }

  async close(workload: string): Promise<void> {
    this.rules.delete(workload)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.rules.clear()
  }
}
