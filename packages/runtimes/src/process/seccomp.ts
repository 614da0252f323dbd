/**
 * The system call filter of the sandbox, as the classic BPF program that bubblewrap hands to the kernel (seccomp(2)).
 * A network namespace does not confine AF_VSOCK, and io_uring makes sockets behind a filter on socket(): both are refused here,
 * with the calls that reach for other namespaces, processes, keys or the kernel. Undefined for other processors.
 */
export function seccompFilter(arch: string): Uint8Array | undefined {
  const calls = arch === 'x64' ? X64 : arch === 'arm64' ? ARM64 : undefined
  return calls === undefined ? undefined : encode(program(calls))
}

interface SystemCalls {
  auditArch: number
  /** Numbers from here on belong to the x32 calling convention, which would hide them from the list. */
  foreignFrom?: number
  socket: number
  socketpair: number
  clone: number
  denied: readonly number[]
}

/** Numbers that are the same on every architecture since Linux 5.1. */
const IO_URING = [425, 426, 427]
const CLONE3 = 435
/** open_tree … fspick, pidfd_getfd, mount_setattr. */
const DENIED_EVERYWHERE = [428, 429, 430, 431, 432, 433, 438, 442]

const X64: SystemCalls = {
  auditArch: 0xc000003e,
  foreignFrom: 0x40000000,
  socket: 41,
  socketpair: 53,
  clone: 56,
  // ptrace, pivot_root, mount, umount2, init/delete_module, kexec_load, add_key, request_key, keyctl, unshare, perf_event_open,
  // open_by_handle_at, setns, process_vm_readv/writev, finit_module, kexec_file_load, bpf, userfaultfd
  denied: [101, 155, 165, 166, 175, 176, 246, 248, 249, 250, 272, 298, 304, 308, 310, 311, 313, 320, 321, 323],
}

const ARM64: SystemCalls = {
  auditArch: 0xc00000b7,
  socket: 198,
  socketpair: 199,
  clone: 220,
  // The same calls: umount2, mount, pivot_root, unshare, kexec_load, init/delete_module, ptrace, add_key, request_key, keyctl,
  // perf_event_open, open_by_handle_at, setns, process_vm_readv/writev, finit_module, bpf, userfaultfd, kexec_file_load
  denied: [39, 40, 41, 97, 104, 105, 106, 117, 217, 218, 219, 241, 265, 268, 270, 271, 273, 280, 282, 294],
}

const ALLOW = 0x7fff0000
const refuse = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const NETLINK_AUDIT = 9
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW_ANYTHING = 0x7e020000

/** Offsets in struct seccomp_data; the low half of each argument on these little-endian machines. */
const NUMBER = 0
const ARCHITECTURE = 4
const ARGUMENT_0 = 16
const ARGUMENT_2 = 32

interface Instruction {
  code: number
  jumpTrue: number
  jumpFalse: number
  value: number
}

const load = (offset: number): Instruction => ({ code: 0x20, jumpTrue: 0, jumpFalse: 0, value: offset })
const give = (value: number): Instruction => ({ code: 0x06, jumpTrue: 0, jumpFalse: 0, value })
const ifEqual = (value: number, jumpTrue: number, jumpFalse: number): Instruction => ({
  code: 0x15,
  jumpTrue,
  jumpFalse,
  value,
})
const ifAtLeast = (value: number, jumpTrue: number, jumpFalse: number): Instruction => ({
  code: 0x35,
  jumpTrue,
  jumpFalse,
  value,
})
const ifAnyBit = (value: number, jumpTrue: number, jumpFalse: number): Instruction => ({
  code: 0x45,
  jumpTrue,
  jumpFalse,
  value,
})
/** Answers at once when the loaded value is the given one, else goes on. */
const when = (value: number, answer: number) => [ifEqual(value, 0, 1), give(answer)]

function program(calls: SystemCalls): Instruction[] {
  const { auditArch, foreignFrom, socket, socketpair, clone, denied } = calls
  return [
    load(ARCHITECTURE),
    ifEqual(auditArch, 1, 0),
    give(refuse(ENOSYS)),
    load(NUMBER),
    ...(foreignFrom === undefined ? [] : [ifAtLeast(foreignFrom, 0, 1), give(refuse(ENOSYS))]),
    ...[...IO_URING, CLONE3].flatMap((call) => when(call, refuse(ENOSYS))),
    ...[...denied, ...DENIED_EVERYWHERE].flatMap((call) => when(call, refuse(EPERM))),
    // clone stays for threads and children, without new namespaces.
    ...[ifEqual(clone, 0, 4), load(ARGUMENT_0), ifAnyBit(CLONE_NEW_ANYTHING, 0, 1), give(refuse(EPERM)), give(ALLOW)],
    // Anything but socket and socketpair is allowed from here.
    ...[ifEqual(socket, 2, 0), ifEqual(socketpair, 1, 0), give(ALLOW)],
    load(ARGUMENT_0),
    ...[AF_UNIX, AF_INET, AF_INET6].flatMap((family) => when(family, ALLOW)),
    ...[ifEqual(AF_NETLINK, 1, 0), give(refuse(EAFNOSUPPORT)), load(ARGUMENT_2)],
    ...[...when(NETLINK_AUDIT, refuse(EPERM)), give(ALLOW)],
  ]
}

/** struct sock_filter: u16 code, u8 jt, u8 jf, u32 k. */
function encode(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8)
  for (const [index, { code, jumpTrue, jumpFalse, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jumpTrue, index * 8 + 2)
    bytes.writeUInt8(jumpFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
