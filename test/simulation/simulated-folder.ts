import { createHash } from "node:crypto";
import { must } from "../../src/core/base/assert.ts";
import { refusal, type Refusal } from "../../src/core/base/errors.ts";
import type { FilePath } from "../../src/core/base/file-path.ts";
import { err, ok, type Result } from "../../src/core/base/result.ts";
import type { FileAside, FileContent, FileTree } from "../../src/core/port/file-tree.ts";
import type { Clock } from "../../src/core/port/platform.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly inode: number;
  /** Changes with each write. */
  readonly stamp: number;
}

/** A workspace folder on a disk that outlives servers, is slow and sometimes fails, and that another program writes too. */
export class SimulatedFolder {
  readonly #random: SeededRandom;
  readonly #fails: () => boolean;
  readonly #filesByName = new Map<string, StoredFile>();
  readonly #listeners = new Set<(path: string) => void>();
  #writes = 0;

  /** `fails` says for each step of the disk whether it fails. */
  constructor(random: SeededRandom, fails: () => boolean) {
    this.#random = random;
    this.#fails = fails;
  }

  /** Returns a file's text; null where there is none. */
  text(path: string): string | null {
    const file = this.#filesByName.get(path);
    return file === undefined ? null : Buffer.from(file.bytes).toString("utf8");
  }

  get names(): readonly string[] {
    return [...this.#filesByName.keys()].toSorted();
  }

  /** Writes a file as another program does: at once, whatever Heddle thinks of it. */
  write(path: string, text: string): void {
    this.#put(path, Buffer.from(text));
  }

  /** The folder as one server sees it; the clock ends with the server. */
  open(clock: Clock): FileTree {
    const listenersByPath = new Map<string, Set<() => void>>();
    const listListeners = new Set<() => void>();
    const noticed = (path: string): void => {
      clock.setTimer(1 + this.#random.below(400), () => {
        for (const listener of listenersByPath.get(path) ?? []) listener();
        for (const listener of listListeners) listener();
      });
    };
    this.#listeners.add(noticed);
    const step = <Value>(path: string, work: () => Result<Value, Refusal>): Promise<Result<Value, Refusal>> =>
      this.#step(clock, path, work);
    return {
      folder: "/simulated",
      present: async () => ok(undefined),
      list: () => step("", () => ok({ paths: this.names.filter(isListed) as FilePath[], truncated: false })),
      read: (path) => step(path, () => ok(this.#content(path))),
      stamp: async (path) => this.#filesByName.get(path)?.stamp ?? null,
      replace: (path, bytes, expected) =>
        step(path, () => {
          const actual = this.#content(path)?.hash ?? null;
          if (actual !== expected) return err(refusal("FILE_CHANGED", { path }));
          this.#put(path, bytes);
          return ok(hashOf(bytes));
        }),
      setAside: (aside, expected) => step(aside.path, () => this.#rename(aside.path, hiddenName(aside), expected)),
      putBack: (aside) =>
        step(aside.path, () => {
          const hidden = this.#content(hiddenName(aside));
          if (hidden === null) return ok(null);
          const path = this.#filesByName.has(aside.path) ? `${aside.path}.kept` : aside.path;
          const renamed = this.#rename(hiddenName(aside), path, hidden.hash);
          return renamed.ok ? ok(path as FilePath) : renamed;
        }),
      removeAside: (aside) =>
        step(aside.path, () => {
          this.#filesByName.delete(hiddenName(aside));
          return ok(undefined);
        }),
      move: (from, to, expected) => step(from, () => this.#rename(from, to, expected)),
      findMoved: async ({ inode, hash }) => {
        const found = this.names.filter(isListed).find((name) => {
          const content = must(this.#content(name), "a listed file exists");
          return content.inode === inode && content.hash === hash;
        });
        return (found ?? null) as FilePath | null;
      },
      isRunByGit: async () => false,
      watch(path, listener) {
        const listeners = listenersByPath.get(path) ?? new Set();
        listenersByPath.set(path, listeners.add(listener));
        return () => void listeners.delete(listener);
      },
      watchList(listener) {
        listListeners.add(listener);
        return () => void listListeners.delete(listener);
      },
      commit: async () => ok(null),
      close: () => void this.#listeners.delete(noticed),
    };
  }

  /** A step of the disk: it is made some time after it was asked for, and heard of some time after it was made. */
  #step<Value>(clock: Clock, path: string, work: () => Result<Value, Refusal>): Promise<Result<Value, Refusal>> {
    const { below } = this.#random;
    return new Promise((resolve) => {
      clock.setTimer(below(4), () => {
        const fails = this.#fails();
        // A write that fails may have been made all the same.
        const done = fails && below(2) === 0 ? null : work();
        const answer = fails || done === null ? err(refusal("FILE_FAILED", { path, reason: "EIO" })) : done;
        clock.setTimer(below(4), () => resolve(answer));
      });
    });
  }

  #content(path: string): FileContent | null {
    const file = this.#filesByName.get(path);
    return file === undefined ? null : { bytes: file.bytes, hash: hashOf(file.bytes), mode: 0o644, inode: file.inode };
  }

  #put(path: string, bytes: Uint8Array): void {
    this.#writes += 1;
    this.#filesByName.set(path, { bytes, inode: this.#writes, stamp: this.#writes });
    for (const noticed of this.#listeners) noticed(path);
  }

  #rename(from: string, to: string, expected: string): Result<void, Refusal> {
    const file = this.#filesByName.get(from);
    if (file === undefined) return err(refusal("FILE_NOT_FOUND", { path: from }));
    if (hashOf(file.bytes) !== expected) return err(refusal("FILE_CHANGED", { path: from }));
    if (this.#filesByName.has(to)) return err(refusal("FILE_EXISTS", { path: to }));
    this.#filesByName.delete(from);
    this.#filesByName.set(to, file);
    for (const noticed of this.#listeners) for (const path of [from, to]) noticed(path);
    return ok(undefined);
  }
}

function hiddenName({ path, key }: FileAside): string {
  return `${path}.heddle-${key}`;
}

function isListed(name: string): boolean {
  return !name.includes(".heddle-");
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
