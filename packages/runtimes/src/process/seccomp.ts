/**
 * The system call filter of the sandbox, as the classic BPF program that bubblewrap passes to the kernel (seccomp(2)).
 * A network namespace does not confine AF_VSOCK, and io_uring makes sockets past a filter on socket(): both are refused
 * here, together with the calls that reach other namespaces, processes, keys or the kernel. Undefined for other
 * processors.
 */
export function seccompFilter(arch: string): Uint8Array | undefined {
  const calls = arch === 'x64' ? X64 : arch === 'arm64' ? ARM64 : undefined
  return calls === undefined ? undefined : encode(program(calls))
}

interface SystemCalls {
  auditArch: number
  /** Numbers from here on belong to the x32 calling convention, which would bypass the list. */
  foreignFrom?: number
  socket: number
  socketpair: number
  clone: number
  denied: readonly number[]
  /** Calls that give a file its mode, and which argument is the mode. */
  setsMode: readonly (readonly [call: number, mode: number])[]
  /** The same for calls that do so only if their flags say that they create a file. */
  mayMake: readonly (readonly [call: number, flags: number, mode: number])[]
}

/** Numbers that are the same on every architecture since Linux 5.1. */
const IO_URING = [425, 426, 427]
const CLONE3 = 435
/** Its arguments are in memory, where no filter can look. Programs fall back to openat. */
const OPENAT2 = 437
const FCHMODAT2 = [452, 2] as const
/** open_tree … fspick, pidfd_getfd, mount_setattr. */
const DENIED_EVERYWHERE = [428, 429, 430, 431, 432, 433, 438, 442]

const X64: SystemCalls = {
  auditArch: 0xc000003e,
  foreignFrom: 0x40000000,
  socket: 41,
  socketpair: 53,
  clone: 56,
  // chmod, fchmod, fchmodat, creat, mknod, mknodat
  setsMode: [[90, 1], [91, 1], [268, 2], [85, 1], [133, 1], [259, 2], FCHMODAT2],
  // open, openat
  mayMake: [
    [2, 1, 2],
    [257, 2, 3],
  ],
  // ptrace, pivot_root, mount, umount2, init/delete_module, kexec_load, add_key, request_key, keyctl, unshare, perf_event_open,
  // open_by_handle_at, setns, process_vm_readv/writev, finit_module, kexec_file_load, bpf, userfaultfd
  denied: [101, 155, 165, 166, 175, 176, 246, 248, 249, 250, 272, 298, 304, 308, 310, 311, 313, 320, 321, 323],
}

const ARM64: SystemCalls = {
  auditArch: 0xc00000b7,
  socket: 198,
  socketpair: 199,
  clone: 220,
  // fchmod, fchmodat, mknodat
  setsMode: [[52, 1], [53, 2], [33, 2], FCHMODAT2],
  // openat
  mayMake: [[56, 2, 3]],
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
/** S_ISUID, S_ISGID. */
const RUNS_AS_OWNER = 0o6000
/** O_CREAT, __O_TMPFILE. */
const MAKES_FILE = 0o20000100

/** Offsets in struct seccomp_data: the low half of each argument on these little-endian machines. */
const NUMBER = 0
const ARCHITECTURE = 4
const argument = (index: number) => 16 + 8 * index

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
/** Answers at once when the loaded value is the given one, otherwise continues. */
const when = (value: number, answer: number) => [ifEqual(value, 0, 1), give(answer)]

const unlessRunsAsOwner = (mode: number) => [
  ...[load(argument(mode)), ifAnyBit(RUNS_AS_OWNER, 0, 1), give(refuse(EPERM)), give(ALLOW)],
]

function program(calls: SystemCalls): Instruction[] {
  const { auditArch, foreignFrom, socket, socketpair, clone, denied, setsMode, mayMake } = calls
  return [
    load(ARCHITECTURE),
    ifEqual(auditArch, 1, 0),
    give(refuse(ENOSYS)),
    load(NUMBER),
    ...(foreignFrom === undefined ? [] : [ifAtLeast(foreignFrom, 0, 1), give(refuse(ENOSYS))]),
    ...[...IO_URING, CLONE3, OPENAT2].flatMap((call) => when(call, refuse(ENOSYS))),
    ...[...denied, ...DENIED_EVERYWHERE].flatMap((call) => when(call, refuse(EPERM))),
    // A server could leave a set-user-id program in a mount. It would run as the server's user for everyone who starts it, and
    // nothing on the machine removes that bit.
    ...setsMode.flatMap(([call, mode]) => [ifEqual(call, 0, 4), ...unlessRunsAsOwner(mode)]),
    ...mayMake.flatMap(([call, flags, mode]) => [
      ...[ifEqual(call, 0, 7), load(argument(flags)), ifAnyBit(MAKES_FILE, 1, 0), give(ALLOW)],
      ...unlessRunsAsOwner(mode),
    ]),
    // clone stays allowed for threads and children, without new namespaces.
    ...[ifEqual(clone, 0, 4), load(argument(0)), ifAnyBit(CLONE_NEW_ANYTHING, 0, 1), give(refuse(EPERM)), give(ALLOW)],
    // From here on everything but socket and socketpair is allowed.
    ...[ifEqual(socket, 2, 0), ifEqual(socketpair, 1, 0), give(ALLOW)],
    load(argument(0)),
    ...[AF_UNIX, AF_INET, AF_INET6].flatMap((family) => when(family, ALLOW)),
    ...[ifEqual(AF_NETLINK, 1, 0), give(refuse(EAFNOSUPPORT)), load(argument(2))],
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
