/** What one command may take. */
const limits = {
  /** Processes and threads. */
  processes: 512,
  /** Of one file. */
  fileKib: 4 * 1024 * 1024,
  /** Of one process: what it allocates, not what it merely reserves, as many programs do by the terabyte. */
  memoryKib: 4 * 1024 * 1024,
  openFiles: 4_096,
};

/** The variable in which a command comes into the sandbox, so that nobody need quote it; it is gone when the command runs. */
export const commandVariable = "HEDDLE_COMMAND";

/**
 * What runs the command under its limits, as a script of its own: what it has of quotes, comments or errors of syntax stays
 * inside. Limits that are lower already stay. `kernel` is the system's release: before 5.14 all of a user's processes were
 * counted together, also those outside.
 */
export function limitedRunner(kernel: string): string {
  const set = [
    ...(countsPerSandbox(kernel) ? [`-u ${limits.processes}`] : []),
    `-f ${limits.fileKib}`,
    `-d ${limits.memoryKib}`,
    `-n ${limits.openFiles}`,
    "-c 0",
  ];
  const limited = set.map((limit) => `ulimit ${limit} 2>/dev/null`).join("; ");
  const taken = `c=$${commandVariable}; unset ${commandVariable}`;
  return `${limited}; ${taken}; exec nice -n 5 bash --noprofile --norc -c "$c"`;
}

function countsPerSandbox(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
