import { conflict, notFound, unavailable } from '@toolhaven/core/errors'
import { LABELS } from '@toolhaven/core/ports/runtime'
import type { InstanceHandle, InstanceSpec, ListedInstance, RuntimeEvent } from '@toolhaven/core/ports/runtime'
import { Broadcast } from './broadcast.ts'
import type { Instance } from './instance.ts'

/** The instances of one runtime by name, and their events. */
export class InstanceTable {
  readonly events = new Broadcast<RuntimeEvent>()
  readonly #byName = new Map<string, Instance>()

  /** Undefined when it is gone, or another instance has its name now. */
  known(handle: InstanceHandle): Instance | undefined {
    const instance = this.#byName.get(handle.name)
    return instance?.parts.handle.id === handle.id ? instance : undefined
  }

  present(handle: InstanceHandle): Instance {
    const instance = this.known(handle)
    if (instance !== undefined) return instance
    throw notFound(`The instance ${handle.name} does not exist. It ended with the daemon that started it.`)
  }

  /** Frees a name: a leftover of the same owner is removed, anybody else's instance stays. */
  async claim({ name, labels }: InstanceSpec): Promise<void> {
    const leftover = this.#byName.get(name)
    if (leftover === undefined) return
    if (leftover.parts.spec.labels[LABELS.instance] !== labels[LABELS.instance]) {
      throw conflict(`An instance named ${name} belongs to another installation. Give the workload another name.`)
    }
    await this.remove(leftover)
  }

  add(instance: Instance): InstanceHandle {
    const { handle } = instance.parts
    if (this.#byName.has(handle.name)) throw conflict(`An instance named ${handle.name} is being created already.`)
    this.#byName.set(handle.name, instance)
    return handle
  }

  async remove(instance: Instance): Promise<void> {
    const { handle, spec, onRemoved } = instance.parts
    await instance.kill()
    if (this.known(handle) === instance) {
      this.#byName.delete(handle.name)
      this.events.send({ kind: 'removed', handle, labels: spec.labels })
    }
    await onRemoved()
  }

  list(labels: Readonly<Record<string, string>>): ListedInstance[] {
    const wanted = Object.entries(labels)
    const all = [...this.#byName.values()].map(listed)
    return all.filter((entry) => wanted.every(([key, value]) => entry.labels[key] === value))
  }

  find(name: string): ListedInstance | undefined {
    const instance = this.#byName.get(name)
    return instance === undefined ? undefined : listed(instance)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map((instance) => this.remove(instance)))
    this.events.close(unavailable('The process runtime was closed.'))
  }
}

function listed({ parts: { handle, spec }, state: { state } }: Instance): ListedInstance {
  return { handle, labels: spec.labels, state }
}
