import type { Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { ok, type Result } from "../../core/base/result.ts";
import type { FileCommit, FileTree } from "../../core/port/file-tree.ts";
import type { Platform } from "../../core/port/platform.ts";
import { unfitFilesOf, type UnfitFile } from "../../core/port/unfit-files.ts";

/** The result of a commit. */
export interface CommittedFiles {
  /** null: nothing had changed. */
  readonly commit: string | null;
  /** Files that could not be committed keep their old content in the branch. */
  readonly leftOut: readonly UnfitFile[];
}

interface CommitPorts {
  readonly tree: Pick<FileTree, "commit">;
  readonly platform: Pick<Platform, "clock" | "logger">;
  /** The branch to which written files are committed now and then. */
  readonly branch?: string | undefined;
  flush(): Promise<void>;
  /** The files that Heddle has written. */
  written(): readonly { readonly path: FilePath }[];
  opened(): Promise<
    readonly {
      readonly path: FilePath;
      readonly conflict: boolean;
      readonly dirty: boolean;
      readonly problem: string | null;
    }[]
  >;
}

/** How long written text waits for its commit, so that a commit holds more than a few words. */
const commitEveryMs = 60_000;
/** Of how many omitted files of a commit the log gives the reason. */
const leftOutLoggedMax = 10;

/** Commits the files of a folder that Heddle has written. */
export class FolderCommits {
  readonly #ports: CommitPorts;
  #cancelCommit: (() => void) | null = null;
  /** Paths that Heddle deleted or moved a file from: the branch has them no more. */
  readonly #removed = new Set<FilePath>();
  #stopped = false;

  constructor(ports: CommitPorts) {
    this.#ports = ports;
  }

  async commit(commit: FileCommit): Promise<Result<CommittedFiles, Refusal>> {
    await this.#ports.flush();
    const files = new Set([...this.#removed, ...this.#ports.written().map(({ path }) => path)]);
    const leftOut: UnfitFile[] = (await this.#ports.opened()).flatMap(({ path, conflict, dirty, problem }) => {
      if (conflict) return [{ path, problem: "it was changed here and on disk, and the conflict is not resolved" }];
      return dirty && problem !== null ? [{ path, problem }] : [];
    });
    for (;;) {
      const left = new Set(leftOut.map(({ path }) => path));
      const paths = [...files].filter((path) => !left.has(path));
      const committed = await this.#ports.tree.commit(paths, commit);
      if (committed.ok) {
        this.#logLeftOut(commit.branch, leftOut);
        return ok({ commit: committed.value, leftOut });
      }
      const unfit = unfitFilesOf(committed.error).filter(({ path }) => !left.has(path));
      if (unfit.length === 0) return committed;
      leftOut.push(...unfit);
    }
  }

  #logLeftOut(branch: string, leftOut: readonly UnfitFile[]): void {
    if (leftOut.length === 0) return;
    const files = leftOut.slice(0, leftOutLoggedMax).map(({ path, problem }) => `${path}: ${problem}`);
    this.#ports.platform.logger.warn("files-left-out", { branch, count: leftOut.length, files: files.join("; ") });
  }

  /** Records that Heddle deleted the file at a path, or moved it away. */
  removed(path: FilePath): void {
    this.#removed.add(path);
    this.later();
  }

  /** Commits to the folder's branch in a while, so that a commit holds more than a few words. */
  later(): void {
    if (this.#ports.branch === undefined || this.#stopped) return;
    this.#cancelCommit ??= this.#ports.platform.clock.setTimer(commitEveryMs, () => {
      this.#cancelCommit = null;
      this.toBranch().catch((bug: unknown) => {
        this.#ports.platform.logger.error("files-not-committed", { reason: reasonOf(bug) });
      });
    });
  }

  /** Commits what was written since the last time to the folder's branch. */
  async toBranch(): Promise<void> {
    const { branch, platform } = this.#ports;
    if (branch === undefined) return;
    const author = { name: "Heddle", email: "heddle@localhost" };
    const committed = await this.commit({ branch, message: "Save documents\n", author });
    if (!committed.ok) platform.logger.warn("files-not-committed", { branch, code: committed.error.code });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelCommit?.();
  }
}
