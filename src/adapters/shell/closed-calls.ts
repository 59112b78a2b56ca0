/**
 * The calls of the kernel that a command has no use for, and through which sandboxes were left: Flatpak's list, with io_uring
 * (which does other calls past the filter), userfaultfd, bpf and handles of files. As a program for the kernel's filter.
 */

/** How the kernel answers a closed call: the error number. Programs try another way after ENOSYS. */
const [notPermitted, notThere] = [1, 38];

/** The numbers of a call on x64 and on arm64; null where a processor does not have it. */
const closed: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>> = {
  // Keys of the kernel are not in any namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Other processes' memory and registers.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Much code of the kernel for what few programs need.
  perf_event_open: [298, 241],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Files by their number instead of their path.
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  // The machine itself.
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  uselib: [134, null],
  modify_ldt: [154, null],
  iopl: [172, null],
  ioperm: [173, null],
  nfsservctl: [180, null],
  lookup_dcookie: [212, 18],
  vhangup: [153, 58],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  // Where memory lies on machines of several processors.
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
};

/** Those that programs try, and do without. */
const tried: ReadonlySet<string> = new Set(["io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd"]);

/** What types into the terminal of whoever started the command. */
const typing = { call: [16, 29], requests: [0x5412, 0x541c] } as const;

const processors = {
  x64: { at: 0, mark: 0xc000_003e },
  arm64: { at: 1, mark: 0xc000_00b7 },
} as const;

// The instructions of the filter: load a word of the call, jump if it equals, return.
const [load, jumpIfEqual, jumpIfAtLeast, give] = [0x20, 0x15, 0x35, 0x06];
const [numberAt, processorAt, requestAt] = [0, 4, 24];
const allow = 0x7fff_0000;
const fail = (error: number): number => 0x0005_0000 | error;

interface Instruction {
  readonly code: number;
  /** How many instructions are skipped if it is so, and if not. */
  readonly skips?: readonly [yes: number, no: number];
  readonly value: number;
}

/** Returns the filter for a processor as the kernel takes it; null for one that it is not known for. */
export function closedCalls(arch: string): Uint8Array | null {
  if (arch !== "x64" && arch !== "arm64") return null;
  const { at, mark } = processors[arch];
  const refuse = (number: number, error: number): readonly Instruction[] => [
    { code: jumpIfEqual, skips: [0, 1], value: number },
    { code: give, value: fail(error) },
  ];
  const program: Instruction[] = [
    // Calls in the way of another processor have other numbers.
    { code: load, value: processorAt },
    { code: jumpIfEqual, skips: [1, 0], value: mark },
    { code: give, value: fail(notThere) },
    { code: load, value: numberAt },
  ];
  if (arch === "x64") {
    program.push({ code: jumpIfAtLeast, skips: [0, 1], value: 0x4000_0000 }, { code: give, value: fail(notThere) });
  }
  for (const [name, numbers] of Object.entries(closed)) {
    const number = numbers[at];
    if (number !== null) program.push(...refuse(number, tried.has(name) ? notThere : notPermitted));
  }
  const requests = typing.requests.flatMap((request) => refuse(request, notPermitted));
  program.push(
    { code: jumpIfEqual, skips: [0, requests.length + 1], value: typing.call[at] },
    { code: load, value: requestAt },
    ...requests,
    { code: give, value: allow },
  );
  return encoded(program);
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, skips = [0, 0], value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(skips[0], index * 8 + 2);
    bytes.writeUInt8(skips[1], index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
