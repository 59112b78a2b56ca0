import { unfitFilesOf, type UnfitFile } from "../../core/port/unfit-files.ts";
import type { SystemActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { caseFolded, readFilePath, type FilePath } from "../../core/base/file-path.ts";
import type { ActorId, BlockId, DocumentId, FolderId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { KeptSide } from "../../core/protocol/commands.ts";
import type { FileCommit, FileHash, FileList, FileTree } from "../../core/port/file-tree.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import { closeInOrder } from "../base/close-in-order.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author } from "../document/record/types.ts";
import { FileBlock, textOf, type FileBlockPorts } from "./file-block.ts";
import { LentFiles } from "./lent-files.ts";
import { PathQueues } from "./path-queues.ts";
import { WatchedFile } from "./watched-file.ts";

/** A file of the workspace folder, as listed. */
interface WorkspaceFile {
  readonly path: FilePath;
  /** null until it is opened. */
  readonly blockId: BlockId | null;
  /** Whether the block has text that is not in the file yet. */
  readonly dirty: boolean;
  readonly conflict: boolean;
  /** Why the file cannot be opened, read or written now; null: no known problem. */
  readonly problem: string | null;
}

export interface UnopenedFile {
  readonly path: FilePath;
  readonly version: number;
}

/** A file's text, and its block where it has one. */
interface FileReading {
  readonly path: FilePath;
  readonly text: string;
  readonly blockId: BlockId | null;
}

/** The result of a commit. */
interface CommittedFiles {
  /** null: nothing had changed. */
  readonly commit: string | null;
  /** Files that could not be committed keep their old content in the branch. */
  readonly leftOut: readonly UnfitFile[];
}

/** The files of a folder as blocks: loaded when first needed, written back soon after they change. */
export interface WorkspaceFiles {
  readonly folder: string;
  /** Lists the files whose path begins with `prefix`, in order; `truncated`: the folder has more files than are listed. */
  list(prefix: string): Promise<Result<{ files: readonly WorkspaceFile[]; truncated: boolean }, Refusal>>;
  /** Lists the paths of all files, on disk and as blocks, in order. */
  paths(): Promise<Result<FileList, Refusal>>;
  /** Lists the files that have a block, in order. */
  opened(): Promise<readonly WorkspaceFile[]>;
  /** Returns the block of a file; loads it from disk where needed, and merges what changed there since. */
  open(path: string): Promise<Result<BlockId, Refusal>>;
  /** Lists the files below a prefix that have no block yet, each with a number that changes when the file does. */
  unopened(prefix: string): Promise<Result<readonly UnopenedFile[], Refusal>>;
  /** Returns the text on disk of a file that is not open; null where it is not text or does not exist. */
  peek(path: FilePath): Promise<string | null>;
  /** Returns a file's current text without creating a block for it. */
  read(path: string): Promise<Result<FileReading, Refusal>>;
  /** Creates a file with a block of its own, and writes it; FILE_EXISTS where the path is in use. */
  make(author: Author, path: string, text: string): Promise<Result<BlockHeader, Refusal>>;
  /** Writes a block to its file now. Refused where the disk does not take it; retried later. */
  save(blockId: BlockId): Promise<Result<void, Refusal>>;
  /**
   * Runs other work on the files: writes pending text before it, and merges what it changed on disk under `author`, unless
   * other work changes the files at the same time. `settled` resolves when that is merged.
   */
  lend<T>(author: () => Promise<Author>, work: () => Promise<T>): Promise<{ value: T; settled: Promise<void> }>;
  /** Returns why no file may be created at a path; null where it may. */
  whyTaken(path: string): Promise<Refusal | null>;
  isDirty(header: BlockHeader): boolean;
  /** Resolves a conflict between a block and its file; `seen` is the hash of the file content that was decided about. */
  resolve(author: Author, blockId: BlockId, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>>;
  /**
   * Writes pending text, then commits every file that Heddle has written to a branch, as far as possible; see
   * FileTree.commit.
   */
  commit(commit: FileCommit): Promise<Result<CommittedFiles, Refusal>>;
  /** Writes every pending file. Failures are logged and retried later. */
  flush(): Promise<void>;
  /** Writes pending text, and releases everything. */
  close(): Promise<void>;
}

const stampsAtOnce = 64;
/** How long written text waits for its commit, so that a commit holds more than a few words. */
const commitEveryMs = 60_000;
/** Of how many omitted files of a commit the log gives the reason. */
const leftOutLoggedMax = 10;

/** How long a file may be neither opened nor changed before its block is evicted, and how often that is checked. */
const unusedMs = 30 * 24 * 60 * 60 * 1000;
const evictEveryMs = 6 * 60 * 60 * 1000;

const outsideActor: SystemActor = { type: "system", id: "files" as ActorId, name: "Files" };

export interface FilesPorts {
  readonly tree: FileTree;
  readonly hub: Pick<DocumentHub, "reader" | "editor" | "deletion" | "feeds">;
  readonly store: Store;
  readonly replicas: Replicas;
  readonly platform: Platform;
  newDocumentId(): DocumentId;
  /** The folder's id, and which blocks with a path are its files; without it, every block with a path is. */
  readonly folder?: { readonly id: FolderId; owns(header: BlockHeader): boolean };
  /** The branch to which written files are committed now and then; none by default. */
  readonly branch?: string;
}

/** Opens the files that have blocks: merges what changed on disk meanwhile, and writes what was not written. */
export async function openWorkspaceFiles(ports: FilesPorts): Promise<WorkspaceFiles> {
  const files = new FolderFiles(ports);
  await files.takeUp();
  return files;
}

function spelledAlike({ file }: WatchedFile): string {
  return `this file is open as ${file.path}`;
}

class FolderFiles implements WorkspaceFiles {
  readonly folder: string;
  /** The metadata that says whose path a new block has. */
  readonly #ownership: { readonly folder?: FolderId };
  readonly #ports: FilesPorts;
  readonly #blockPorts: FileBlockPorts;
  readonly #byPath = new Map<string, WatchedFile>();
  readonly #byId = new Map<BlockId, WatchedFile>();
  /** Orders the calls that open or create files. */
  readonly #queues = new PathQueues();
  readonly #lent: LentFiles;
  #unwatchHub: () => void = () => {};
  #closed = false;
  #cancelCommit: (() => void) | null = null;
  #cancelEviction: () => void = () => {};

  constructor(ports: FilesPorts) {
    const { tree, hub, store, replicas, platform } = ports;
    this.#ports = ports;
    this.folder = tree.folder;
    this.#ownership = ports.folder === undefined ? {} : { folder: ports.folder.id };
    this.#lent = new LentFiles(platform.logger);
    const outsider = async (change: string): Promise<Author> => {
      const borrower = this.#lent.author;
      if (borrower !== null) return borrower();
      return { actor: outsideActor, replica: await replicas.forClient("files", outsideActor), unit: { id: change } };
    };
    this.#blockPorts = { tree, hub, store, logger: platform.logger, clock: platform.clock, outsider };
  }

  async takeUp(): Promise<void> {
    this.#unwatchHub = this.#ports.hub.feeds.files.subscribe((header) => this.#changed(header));
    for (const header of await this.#ports.hub.reader.list(null)) {
      // An unreadable file must not keep the others, and callers that wait for the start, from opening.
      await this.#tried("file-not-taken-up", async () => {
        const watched = await this.#manage(header);
        await watched?.mergeFile();
        watched?.changed(header.version);
      });
    }
    this.#evictLater();
  }

  async list(prefix: string): ReturnType<WorkspaceFiles["list"]> {
    const listed = await this.paths();
    if (!listed.ok) return listed;
    const { paths, truncated } = listed.value;
    return ok({ files: await this.#stateOf(paths.filter((path) => path.startsWith(prefix))), truncated });
  }

  async paths(): ReturnType<WorkspaceFiles["paths"]> {
    const listed = await this.#ports.tree.list();
    if (!listed.ok) return listed;
    const blocks = [...this.#byPath.values()].map(({ file }) => file.path);
    const paths = [...new Set([...listed.value.paths, ...blocks])].toSorted();
    return ok({ paths, truncated: listed.value.truncated });
  }

  opened(): Promise<readonly WorkspaceFile[]> {
    return this.#stateOf([...this.#byPath.values()].map(({ file }) => file.path));
  }

  async #stateOf(paths: readonly FilePath[]): Promise<readonly WorkspaceFile[]> {
    const headers = new Map((await this.#ports.hub.reader.list(null)).map((header) => [header.id, header]));
    return paths.toSorted().map((path): WorkspaceFile => {
      const alike = this.#byPath.get(caseFolded(path));
      const watched = alike?.file.path === path ? alike : undefined;
      const header = watched === undefined ? undefined : headers.get(watched.file.id);
      return {
        path,
        blockId: watched?.file.id ?? null,
        dirty: header !== undefined && (watched?.file.isDirty(header.version) ?? false),
        conflict: watched?.file.hasConflict ?? false,
        problem: alike === undefined ? null : alike === watched ? alike.problem : spelledAlike(alike),
      };
    });
  }

  async open(given: string): Promise<Result<BlockId, Refusal>> {
    const path = readFilePath(given);
    return path.ok ? this.#queues.run(path.value, () => this.#open(path.value)) : path;
  }

  async unopened(prefix: string): Promise<Result<readonly UnopenedFile[], Refusal>> {
    const listed = await this.#ports.tree.list();
    if (!listed.ok) return listed;
    // A file beside an open one whose path differs only in case exists, though it cannot be opened.
    const isOpen = (path: FilePath): boolean => this.#byPath.get(caseFolded(path))?.file.path === path;
    const paths = listed.value.paths.filter((path) => path.startsWith(prefix) && !isOpen(path));
    const found: UnopenedFile[] = [];
    for (let from = 0; from < paths.length; from += stampsAtOnce) {
      const some = paths.slice(from, from + stampsAtOnce);
      const versions = await Promise.all(some.map((path) => this.#ports.tree.stamp(path)));
      for (const [index, path] of some.entries()) {
        const version = versions[index] ?? null;
        if (version !== null) found.push({ path, version });
      }
    }
    return ok(found);
  }

  async peek(path: FilePath): Promise<string | null> {
    const read = await this.#ports.tree.read(path);
    if (!read.ok || read.value === null) return null;
    const text = textOf(read.value);
    return text.ok ? text.value : null;
  }

  async read(given: string): Promise<Result<FileReading, Refusal>> {
    const path = readFilePath(given);
    if (!path.ok) return path;
    if (this.#byPath.has(caseFolded(path.value))) {
      const opened = await this.open(path.value);
      const now = opened.ok ? await this.#ports.hub.reader.read(opened.value) : opened;
      return now.ok ? ok({ path: path.value, text: now.value.text, blockId: now.value.header.id }) : now;
    }
    const read = await this.#ports.tree.read(path.value);
    if (!read.ok) return read;
    if (read.value === null) return err(refusal("FILE_NOT_FOUND", { path: path.value }));
    const text = textOf(read.value);
    return text.ok
      ? ok({ path: path.value, text: text.value, blockId: null })
      : err(refusal("FILE_NOT_TEXT", { path: path.value }));
  }

  async make(author: Author, given: string, text: string): Promise<Result<BlockHeader, Refusal>> {
    const path = readFilePath(given);
    return path.ok ? this.#queues.run(path.value, () => this.#make(author, path.value, text)) : path;
  }

  async save(blockId: BlockId): Promise<Result<void, Refusal>> {
    return this.#byId.get(blockId)?.write() ?? ok(undefined);
  }

  async lend<T>(author: () => Promise<Author>, work: () => Promise<T>): Promise<{ value: T; settled: Promise<void> }> {
    await this.flush();
    return this.#lent.lend(() => [...this.#byId.values()], author, work);
  }

  async whyTaken(given: string): Promise<Refusal | null> {
    const path = readFilePath(given);
    if (!path.ok) return path.error;
    const watched = this.#byPath.get(caseFolded(path.value));
    if (watched !== undefined) return refusal("FILE_EXISTS", { path: watched.file.path, block_id: watched.file.id });
    const read = await this.#ports.tree.read(path.value);
    if (!read.ok) return read.error;
    return read.value === null ? null : refusal("FILE_EXISTS", { path: path.value });
  }

  isDirty(header: BlockHeader): boolean {
    return this.#byId.get(header.id)?.file.isDirty(header.version) ?? false;
  }

  async resolve(author: Author, blockId: BlockId, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>> {
    const watched = this.#byId.get(blockId);
    return watched === undefined
      ? err(refusal("FILE_NOT_FOUND", { block_id: blockId }))
      : watched.file.resolve(author, keep, seen);
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#byId.values()].map((watched) => watched.write()));
  }

  async commit(commit: FileCommit): Promise<Result<CommittedFiles, Refusal>> {
    await this.flush();
    const files = [...this.#byId.values()].flatMap(({ file }) => (file.isWritten ? [file] : []));
    const leftOut: UnfitFile[] = (await this.opened()).flatMap(({ path, conflict, dirty, problem }) => {
      if (conflict) return [{ path, problem: "it was changed here and on disk, and the conflict is not resolved" }];
      return dirty && problem !== null ? [{ path, problem }] : [];
    });
    for (;;) {
      const left = new Set(leftOut.map(({ path }) => path));
      const paths = files.flatMap(({ path }) => (left.has(path) ? [] : [path]));
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

  close(): Promise<void> {
    return closeInOrder([
      () => this.flush(),
      () => this.#commitToBranch(),
      () => {
        this.#closed = true;
        this.#cancelCommit?.();
        this.#cancelEviction();
        this.#unwatchHub();
        for (const watched of this.#byId.values()) this.#release(watched);
        this.#ports.tree.close();
      },
    ]);
  }

  async #make(author: Author, path: FilePath, text: string): Promise<Result<BlockHeader, Refusal>> {
    const taken = await this.whyTaken(path);
    if (taken !== null) return err(taken);
    const created = await this.#ports.hub.editor.create(author, {
      documentId: this.#ports.newDocumentId(),
      parentId: null,
      role: "user",
      kind: "file",
      text: "",
      status: "done",
      metadata: { path, ...this.#ownership },
    });
    if (!created.ok) return created;
    // As an edit, so that undo works.
    const { id } = created.value;
    const changes = text === "" ? [] : [{ from: 0, to: 0, insert: text }];
    const written = await this.#ports.hub.editor.edit(author, id, { changes });
    if (!written.ok) return written;
    const watched = await this.#manage(created.value);
    await watched?.write();
    return created;
  }

  async #open(path: FilePath): Promise<Result<BlockId, Refusal>> {
    const watched = this.#byPath.get(caseFolded(path));
    if (watched !== undefined) {
      if (watched.file.path !== path) {
        return err(refusal("PATH_REFUSED", { path, problem: spelledAlike(watched) }));
      }
      await watched.opened();
      return ok(watched.file.id);
    }
    const read = await this.#ports.tree.read(path);
    if (!read.ok) return read;
    if (read.value === null) return err(refusal("FILE_NOT_FOUND", { path }));
    const text = textOf(read.value);
    if (!text.ok) return err(refusal("FILE_NOT_TEXT", { path }));
    const { hash } = read.value;
    const created = await this.#ports.hub.editor.create(
      await this.#blockPorts.outsider(`outside/${hash.slice(0, 16)}`),
      {
        documentId: this.#ports.newDocumentId(),
        parentId: null,
        role: "user",
        kind: "file",
        text: text.value,
        status: "done",
        metadata: { path, ...this.#ownership },
      },
    );
    if (!created.ok) return created;
    const opened = await this.#manage(created.value);
    const noted = await opened?.file.made(created.value.version, read.value);
    return noted?.ok === false ? noted : ok(created.value.id);
  }

  /** Starts to watch a block with a path, once. The oldest block has the path. */
  async #manage(header: BlockHeader): Promise<WatchedFile | null> {
    const known = this.#byId.get(header.id);
    if (known !== undefined) return known;
    const path = readFilePath(blockPath(header) ?? "");
    if (!path.ok || header.deletedAt !== undefined || this.#ports.folder?.owns(header) === false) return null;
    const key = caseFolded(path.value);
    const file = await FileBlock.of(path.value, header.id, this.#blockPorts);
    const meanwhile = this.#byId.get(header.id);
    if (meanwhile !== undefined) return meanwhile;
    if (this.#byPath.has(key) || this.#closed) return null;
    const { tree, platform } = this.#ports;
    const watched = new WatchedFile(file, { tree, platform, onWritten: () => this.#commitLater() });
    this.#byPath.set(key, watched);
    this.#byId.set(header.id, watched);
    return watched;
  }

  #release(watched: WatchedFile): void {
    watched.release();
    this.#byId.delete(watched.file.id);
    const key = caseFolded(watched.file.path);
    if (this.#byPath.get(key) === watched) this.#byPath.delete(key);
  }

  /** Handles a committed block. */
  #changed(header: BlockHeader): void {
    const watched = this.#byId.get(header.id);
    if (watched !== undefined) {
      if (header.deletedAt === undefined) watched.changed(header.version);
      else this.#release(watched);
      return;
    }
    const path = blockPath(header);
    // The call that is loading this block starts to watch it.
    if (path === undefined || this.#ports.folder?.owns(header) === false || this.#queues.isBusy(path)) return;
    this.#logged("file-not-taken-up", async () => (await this.#manage(header))?.changed(header.version));
  }

  #commitLater(): void {
    if (this.#ports.branch === undefined || this.#closed) return;
    this.#cancelCommit ??= this.#ports.platform.clock.setTimer(commitEveryMs, () => {
      this.#cancelCommit = null;
      this.#logged("files-not-committed", () => this.#commitToBranch());
    });
  }

  /** Commits what was written since the last time. */
  async #commitToBranch(): Promise<void> {
    const { branch, platform } = this.#ports;
    if (branch === undefined) return;
    const author = { name: "Heddle", email: "heddle@localhost" };
    const committed = await this.commit({ branch, message: "Save documents\n", author });
    if (!committed.ok) platform.logger.warn("files-not-committed", { branch, code: committed.error.code });
  }

  #evictLater(): void {
    this.#cancelEviction = this.#ports.platform.clock.setTimer(evictEveryMs, () => {
      this.#logged("files-not-let-go", () => this.#evict());
      this.#evictLater();
    });
  }

  /** Evicts the blocks of files that nobody has used for long and whose text is whole on disk. */
  async #evict(): Promise<void> {
    const { hub, platform } = this.#ports;
    const since = platform.clock.now() - unusedMs;
    for (const header of await hub.reader.list(null)) {
      const watched = this.#byId.get(header.id);
      if (watched === undefined || this.#closed || !watched.file.isUnused(header, since)) continue;
      const evicted = await watched.file.evict(since);
      if (!evicted.ok) platform.logger.info("file-kept", { path: watched.file.path, code: evicted.error.code });
    }
  }

  #logged(event: string, job: () => Promise<void>): void {
    void this.#tried(event, job);
  }

  #tried(event: string, job: () => Promise<void>): Promise<void> {
    return job().catch((bug: unknown) => this.#ports.platform.logger.error(event, { reason: reasonOf(bug) }));
  }
}
