import { problemIn } from "../../core/port/unfit-files.ts";
import type { Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Result } from "../../core/base/result.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Platform } from "../../core/port/platform.ts";
import { orNotStored } from "../base/store-refusal.ts";
import type { FileBlock } from "./file-block.ts";
import type { LentFile } from "./lent-files.ts";

/** How long an edit waits for the next one before its file is written, and how long at most. Milliseconds. */
const quietMs = 1_000;
const waitMsMax = 5_000;
const retryMs = 5_000;

/** The kinds of work on a file; each remembers its own failure. */
type FileJob = "note-opened" | "take-in" | "write";

export interface WatchedFilePorts {
  readonly tree: FileTree;
  readonly platform: Pick<Platform, "clock" | "logger">;
  /** The file has been written, or there was nothing to write. */
  onWritten(): void;
}

/**
 * Keeps a file block and its file together: checks the file when the disk reports a change, writes it soon after the block
 * changed, and retries failed work, since the block has the text meanwhile.
 */
export class WatchedFile implements LentFile {
  readonly file: FileBlock;
  readonly #ports: WatchedFilePorts;
  #unwatch: () => void;
  /** When the block first had text that the file does not have, monotonic; null while nothing waits. */
  #waitingSince: number | null = null;
  #cancelTimer: (() => void) | null = null;
  /** Whether a check for a change on disk is running, and whether another change was reported meanwhile. */
  #looking: "no" | "once" | "again" = "no";
  /** The last failure of each job, for as long as the job fails. */
  readonly #refusalsByJob = new Map<FileJob, Refusal>();
  #isReleased = false;

  constructor(file: FileBlock, ports: WatchedFilePorts) {
    this.file = file;
    this.#ports = ports;
    this.#unwatch = ports.tree.watch(file.path, () => this.#look());
  }

  /** Watches the path that the file has now. */
  rewatch(): void {
    if (this.#isReleased) return;
    this.#unwatch();
    this.#unwatch = this.#ports.tree.watch(this.file.path, () => this.#look());
  }

  /** Returns why block and file cannot be synchronised now; null where they can, or nothing was tried. */
  get problem(): string | null {
    const refused = this.#refusalsByJob.get("take-in") ?? this.#refusalsByJob.get("write");
    return refused === undefined ? null : problemIn(refused);
  }

  stamp(): Promise<number | null> {
    return this.#ports.tree.stamp(this.file.path);
  }

  async mergeFile(): Promise<void> {
    this.#report("take-in", await orNotStored(() => this.file.mergeFile()));
  }

  /** Merges the file's current content, because somebody opens it. */
  async opened(): Promise<void> {
    const { clock } = this.#ports.platform;
    this.#report("note-opened", await orNotStored(() => this.file.opened(clock.now())));
    await this.mergeFile();
  }

  /** Schedules the write of this version: after a pause in the edits, or at the latest after `waitMsMax`. */
  changed(version: number): void {
    if (this.#isReleased || !this.file.isDirty(version)) return;
    const { clock } = this.#ports.platform;
    this.#waitingSince ??= clock.monotonic();
    const left = Math.max(0, this.#waitingSince + waitMsMax - clock.monotonic());
    this.#writeIn(Math.min(quietMs, left));
  }

  /** Writes what waits. Retries later where that fails. */
  async write(): Promise<Result<void, Refusal>> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#waitingSince = null;
    try {
      const written = await orNotStored(() => this.file.flush());
      this.#report("write", written);
      this.#ports.onWritten();
      return written;
    } catch (bug) {
      this.#retry();
      throw bug;
    }
  }

  release(): void {
    this.#isReleased = true;
    this.#cancelTimer?.();
    this.#unwatch();
  }

  /** A program that writes all the time reports changes all the time, so checks are joined. */
  #look(): void {
    const wasLooking = this.#looking !== "no";
    this.#looking = wasLooking ? "again" : "once";
    if (wasLooking) return;
    this.#logged("file-not-taken-in", async () => {
      try {
        await this.#takeIn();
      } finally {
        const again = this.#looking === "again";
        this.#looking = "no";
        if (again && !this.#isReleased) this.#look();
      }
    });
  }

  async #takeIn(): Promise<void> {
    this.#report("take-in", await orNotStored(() => this.file.mergeUnlessJustEmptied()));
  }

  /** Logs a failure once, however often it repeats. */
  #report(job: FileJob, done: Result<void, Refusal>): void {
    if (done.ok) {
      this.#refusalsByJob.delete(job);
      return;
    }
    const { code } = done.error;
    if (code === "BLOCK_NOT_FOUND" || code === "IN_TRASH") return;
    if (this.#refusalsByJob.get(job)?.code !== code) {
      this.#ports.platform.logger.warn("file-failed", { path: this.file.path, job, code });
    }
    this.#refusalsByJob.set(job, done.error);
    this.#retry();
  }

  #retry(): void {
    if (!this.#isReleased && this.#cancelTimer === null) this.#writeIn(retryMs);
  }

  #writeIn(delayMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#ports.platform.clock.setTimer(delayMs, () => {
      this.#logged("file-not-written", async () => {
        await this.write();
        if (this.#refusalsByJob.has("take-in")) await this.#takeIn();
      });
    });
  }

  #logged(event: string, job: () => Promise<unknown>): void {
    job().catch((bug: unknown) => this.#ports.platform.logger.error(event, { reason: reasonOf(bug) }));
  }
}
