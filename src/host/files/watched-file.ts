import { problemIn } from "../../core/port/unfit-files.ts";
import type { Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Result } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { FileBlock } from "./file-block.ts";
import type { LentFile } from "./lent-files.ts";

/** How long an edit may wait for the next before its file is written, and how long at most. Milliseconds. */
const quietMs = 1_000;
const waitMsMax = 5_000;
const retryMs = 5_000;

/** What is done about a file, each with failures of its own. */
type FileJob = "note-opened" | "take-in" | "write";

export interface WatchedFilePorts {
  readonly tree: FileTree;
  readonly platform: Pick<Platform, "clock" | "logger">;
  /** The file has been written, or had nothing to write. */
  onWritten(): void;
}

/**
 * A file block in care: looked at when there is word of a change on disk, written soon after the block changed, and tried
 * again where that fails, for the block has the text meanwhile.
 */
export class WatchedFile implements LentFile {
  readonly file: FileBlock;
  readonly #ports: WatchedFilePorts;
  readonly #unwatch: () => void;
  /** When the block came to have what the file has not, monotonic; null while nothing waits. */
  #waitingSince: number | null = null;
  #cancelTimer: (() => void) | null = null;
  /** Whether it is being looked at for a change on disk, and whether there was word of another meanwhile. */
  #looking: "no" | "once" | "again" = "no";
  /** What each job failed with last, for as long as it fails. */
  readonly #refusalsByJob = new Map<FileJob, Refusal>();
  #isLetGo = false;

  constructor(file: FileBlock, ports: WatchedFilePorts) {
    this.file = file;
    this.#ports = ports;
    this.#unwatch = ports.tree.watch(file.path, () => this.#look());
  }

  /** Why block and file do not come together just now; null where they do, or nothing was tried. */
  get problem(): string | null {
    const refused = this.#refusalsByJob.get("take-in") ?? this.#refusalsByJob.get("write");
    return refused === undefined ? null : problemIn(refused);
  }

  stamp(): Promise<number | null> {
    return this.#ports.tree.stamp(this.file.path);
  }

  async takeIn(): Promise<void> {
    this.#report("take-in", await this.file.takeIn());
  }

  /** Somebody asks for the file as it is now. */
  async opened(): Promise<void> {
    this.#report("note-opened", await this.file.opened(this.#ports.platform.clock.now()));
    await this.takeIn();
  }

  /** The block has this version: it is written when nobody has changed it for a while, or somebody has for long. */
  changed(version: number): void {
    if (this.#isLetGo || !this.file.isDirty(version)) return;
    const { clock } = this.#ports.platform;
    this.#waitingSince ??= clock.monotonic();
    const left = Math.max(0, this.#waitingSince + waitMsMax - clock.monotonic());
    this.#writeIn(Math.min(quietMs, left));
  }

  /** Writes what waits. Where that fails it is tried again later. */
  async write(): Promise<Result<void, Refusal>> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#waitingSince = null;
    try {
      const written = await this.file.flush();
      this.#report("write", written);
      this.#ports.onWritten();
      return written;
    } catch (bug) {
      this.#retry();
      throw bug;
    }
  }

  letGo(): void {
    this.#isLetGo = true;
    this.#cancelTimer?.();
    this.#unwatch();
  }

  /** Of a program that writes all the time there is word all the time. */
  #look(): void {
    const wasLooking = this.#looking !== "no";
    this.#looking = wasLooking ? "again" : "once";
    if (wasLooking) return;
    this.#logged("file-not-taken-in", async () => {
      try {
        this.#report("take-in", await this.file.takeInPatiently());
      } finally {
        const again = this.#looking === "again";
        this.#looking = "no";
        if (again && !this.#isLetGo) this.#look();
      }
    });
  }

  /** Says once what fails, however often it does. */
  #report(job: FileJob, done: Result<void, Refusal>): void {
    if (done.ok) {
      this.#refusalsByJob.delete(job);
      return;
    }
    const { code } = done.error;
    if (code === "BLOCK_NOT_FOUND") return;
    if (this.#refusalsByJob.get(job)?.code !== code) {
      this.#ports.platform.logger.warn("file-failed", { path: this.file.path, job, code });
    }
    this.#refusalsByJob.set(job, done.error);
    this.#retry();
  }

  #retry(): void {
    if (!this.#isLetGo && this.#cancelTimer === null) this.#writeIn(retryMs);
  }

  #writeIn(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#ports.platform.clock.setTimer(delayMs, () => {
      this.#logged("file-not-written", async () => {
        await this.write();
        if (this.#refusalsByJob.has("take-in")) this.#report("take-in", await this.file.takeInPatiently());
      });
    });
  }

  #logged(event: string, job: () => Promise<unknown>): void {
    job().catch((bug: unknown) => this.#ports.platform.logger.error(event, { reason: reasonOf(bug) }));
  }
}
