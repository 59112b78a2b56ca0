import { totalmem } from "node:os";

/** Resource limits of one command. */
const limits = {
  /** Processes and threads. */
  processes: 512,
  /** Of one file. */
  fileKib: 4 * 1024 * 1024,
  /** Memory that one process may allocate; reservations do not count, since many programs reserve terabytes. */
  memoryKib: 4 * 1024 * 1024,
  openFiles: 4_096,
};

/** The bytes that all processes of one command may use together: half of the machine's, and not more than one may. */
export function commandMemoryMax(): number {
  return Math.min(limits.memoryKib * 1024, totalmem() / 2);
}

/** The variable that passes a command into the sandbox without quoting; it is unset when the command runs. */
export const commandVariable = "HEDDLE_COMMAND";

/**
 * The script that runs the command under its limits, after it said on descriptor 3 that it has begun. The command is a script of its own, so its quotes, comments and syntax
 * errors stay inside. Lower existing limits are kept. `kernel` is the system's release: before 5.14 the kernel counts all
 * processes of a user together, including those outside.
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
  const said = "printf . >&3; exec 3>&-";
  const taken = `c=$${commandVariable}; unset ${commandVariable}`;
  return `${said}; ${limited}; ${taken}; exec nice -n 5 bash --noprofile --norc -c "$c"`;
}

function countsPerSandbox(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
