import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One operation of a process on the files of a folder, or one line it printed, in order. */
export type TracedEvent =
  | { readonly type: "opened"; readonly path: string; readonly creates: boolean; readonly empties: boolean }
  | { readonly type: "written"; readonly path: string; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: "cut"; readonly path: string; readonly size: number }
  | { readonly type: "synced"; readonly path: string }
  | { readonly type: "made-folder"; readonly path: string }
  | { readonly type: "renamed"; readonly from: string; readonly to: string }
  | { readonly type: "removed"; readonly path: string }
  /** A line on standard output. */
  | { readonly type: "printed"; readonly line: string };

const calls = [
  "openat",
  "write",
  "pwrite64",
  "ftruncate",
  "fsync",
  "fdatasync",
  "rename",
  "renameat",
  "renameat2",
  "unlink",
  "unlinkat",
  "mkdir",
  "mkdirat",
];
/**
 * System calls that neither SQLite nor Heddle uses for writing; a trace with one is an error, so that no write is
 * missed.
 */
const unreadCalls = ["writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "fallocate", "link", "linkat"];

/** A piece of a source file, and its replacement. */
export type Patch = readonly [file: string, said: string, instead: string];

/** Runs a script of this folder under strace and returns its operations in `folder`. The process ends by itself. */
export async function traceScript(
  folder: string,
  [script, ...args]: readonly [script: string, ...args: readonly string[]],
  patch: Patch | null = null,
): Promise<readonly TracedEvent[]> {
  const probe = spawnSync("strace", ["-V"]);
  if (probe.error !== undefined) throw new Error("needs Linux with strace(1): apt-get install strace");
  const log = join(folder, "..", "strace.log");
  const wanted = [...calls, ...unreadCalls].join(",");
  const options = ["-f", "-qq", "-y", "-xx", "--seccomp-bpf", "-s", "10000000", "-e", `trace=${wanted}`, "-o", log];
  const patching = patch === null ? [] : ["--import", here("patched-source.ts")];
  const child = spawn("strace", [...options, process.execPath, ...patching, here(script), ...args], {
    env: { ...process.env, HEDDLE_TEST_PATCH: JSON.stringify(patch ?? []) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.resume();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`the traced process ended with ${code}`);
  return [...readTrace(readFileSync(log, "latin1"), folder)];
}

function here(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}

/** `thread name(arguments) = result`; a call that another thread interrupts takes two lines. */
const wholeLine = /^(\d+) +(\w+)\((.*)\) += (-?\d+(?:<[^>]*>)?)/;
const firstHalf = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/;
const secondHalf = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+(?:<[^>]*>)?)/;

function* readTrace(log: string, folder: string): Generator<TracedEvent> {
  const begun = new Map<string, string>();
  const files: OpenFiles = { offsets: new Map(), paths: new Map() };
  for (const line of log.split("\n")) {
    const [, thread = "", , start] = firstHalf.exec(line) ?? [];
    if (start !== undefined) {
      begun.set(thread, start);
      continue;
    }
    const resumed = secondHalf.exec(line);
    const [, , name, given, result] =
      resumed === null
        ? (wholeLine.exec(line) ?? [])
        : [0, 0, resumed[2], `${begun.get(resumed[1] ?? "") ?? ""}${resumed[3] ?? ""}`, resumed[4]];
    if (name === undefined || given === undefined || result === undefined || result.startsWith("-")) continue;
    const event = readCall({ name, given, result }, folder, files);
    if (event !== null) yield event;
  }
}

interface Call {
  readonly name: string;
  readonly given: string;
  readonly result: string;
}

/** The state of descriptors: the offset of the next write, and the target of `/proc/self/fd`. */
interface OpenFiles {
  readonly offsets: Map<string, number>;
  readonly paths: Map<string, string>;
}

function readCall({ name, given, result }: Call, folder: string, files: OpenFiles): TracedEvent | null {
  const [descriptor, path] = descriptorIn(given);
  const texts = Array.from(given.matchAll(/"([^"]*)"/g), ([, text = ""]) => unescape(text));
  const named = texts.map((text) =>
    text.toString("utf8").replace(/^\/proc\/self\/fd\/(\d+)/, (whole, at: string) => files.paths.get(at) ?? whole),
  );
  const isOurs = (file: string | undefined): file is string => file?.startsWith(`${folder}/`) ?? false;
  switch (name) {
    case "openat": {
      const [opened, file] = descriptorIn(result);
      files.offsets.set(opened, 0);
      files.paths.set(opened, file);
      if (!isOurs(file)) return null;
      return { type: "opened", path: file, creates: given.includes("O_CREAT"), empties: given.includes("O_TRUNC") };
    }
    case "write": {
      const bytes = texts[0] ?? Buffer.of();
      if (descriptor === "1") return { type: "printed", line: bytes.toString("utf8").trimEnd() };
      if (!isOurs(path)) return null;
      const from = files.offsets.get(descriptor) ?? 0;
      files.offsets.set(descriptor, from + Number(result));
      return { type: "written", path, at: from, bytes: bytes.subarray(0, Number(result)) };
    }
    case "pwrite64": {
      if (!isOurs(path)) return null;
      const bytes = texts[0] ?? Buffer.of();
      return { type: "written", path, at: lastNumber(given), bytes: bytes.subarray(0, Number(result)) };
    }
    case "ftruncate":
      return isOurs(path) ? { type: "cut", path, size: lastNumber(given) } : null;
    case "fsync":
    case "fdatasync":
      return isOurs(path) || path === folder ? { type: "synced", path } : null;
    case "rename":
    case "renameat":
    case "renameat2": {
      const [from, to] = named;
      return isOurs(from) && isOurs(to) ? { type: "renamed", from, to } : null;
    }
    case "unlink":
    case "unlinkat": {
      const [file] = named;
      return isOurs(file) ? { type: "removed", path: file } : null;
    }
    case "mkdir":
    case "mkdirat": {
      const [made] = named;
      return isOurs(made) ? { type: "made-folder", path: made } : null;
    }
    default:
      if (isOurs(path) || named.some(isOurs)) throw new Error(`${name} on ${path} is not understood`);
      return null;
  }
}

/** `4</a/b>`, as `-y` prints it. */
function descriptorIn(text: string): readonly [number: string, path: string] {
  const [, number = "", path = ""] = /^(\w+)<([^>]*)>/.exec(text) ?? [];
  return [number, unescape(path).toString("utf8")];
}

function lastNumber(given: string): number {
  return Number(/(\d+)$/.exec(given)?.[1]);
}

/** With `-xx`, all texts are hexadecimal. */
function unescape(text: string): Buffer {
  return Buffer.from(text.replaceAll("\\x", ""), "hex");
}
