import { unfitFilesOf, type UnfitFile } from "../../core/port/unfit-files.ts";
import type { SystemActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { caseFolded, readFilePath, type FilePath } from "../../core/base/file-path.ts";
import type { ActorId, BlockId, DocumentId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { KeptSide } from "../../core/protocol/commands.ts";
import type { FileCommit, FileHash, FileTree } from "../../core/port/file-tree.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import type { Agents } from "../replica/replica-registry.ts";
import { closeInOrder } from "../base/close-in-order.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author } from "../document/record/types.ts";
import { FileBlock, textOf, type FileBlockPorts } from "./file-block.ts";
import { LentFiles } from "./lent-files.ts";
import { PathQueues } from "./path-queues.ts";
import { WatchedFile } from "./watched-file.ts";

/** A file of the workspace folder, as it is listed. */
interface WorkspaceFile {
  readonly path: FilePath;
  /** null until it is opened. */
  readonly blockId: BlockId | null;
  /** Whether the block has text that is not in the file yet. */
  readonly dirty: boolean;
  readonly conflict: boolean;
  /** Why it cannot be opened, read or written just now; null: nothing is known to be in the way. */
  readonly problem: string | null;
}

export interface UnopenedFile {
  readonly path: FilePath;
  readonly version: number;
}

/** A file that was read: its text, and its block where it has one. */
interface FileReading {
  readonly path: FilePath;
  readonly text: string;
  readonly blockId: BlockId | null;
}

/** What a commit came to. */
interface CommittedFiles {
  /** null: nothing had changed. */
  readonly commit: string | null;
  /** What could not be committed stays in the branch as it was. */
  readonly leftOut: readonly UnfitFile[];
}

/** The files of a folder as blocks: loaded when they are first needed, written back soon after they change. */
export interface WorkspaceFiles {
  readonly folder: string;
  /** Those whose path begins so, in order; `truncated`: the folder has more than are listed. */
  list(prefix: string): Promise<Result<{ files: readonly WorkspaceFile[]; truncated: boolean }, Refusal>>;
  /** Those that have a block, in order. */
  opened(): Promise<readonly WorkspaceFile[]>;
  /** The block of a file, loaded from disk where it is not yet, with whatever was changed there since. */
  open(path: string): Promise<Result<BlockId, Refusal>>;
  /** The files below a prefix that have no block yet, each with a number that changes when the file does. */
  unopened(prefix: string): Promise<Result<readonly UnopenedFile[], Refusal>>;
  /** The text on disk of a file that is not opened; null where it is none, or not there. */
  peek(path: FilePath): Promise<string | null>;
  /** A file's text as it is now, without making a block of it. */
  read(path: string): Promise<Result<FileReading, Refusal>>;
  /** Makes a new file with a block of its own, and writes it; FILE_EXISTS where there is one. */
  make(author: Author, path: string, text: string): Promise<Result<BlockHeader, Refusal>>;
  /** Writes a block to its file now. Refused where the disk does not take it; it is tried again later. */
  save(blockId: BlockId): Promise<Result<void, Refusal>>;
  /**
   * Lets something else work on the files: what waits is written before, and what is changed on disk meanwhile is taken in
   * as the author's doing, where nobody else works on them at the same time. `settled` resolves when it is taken in.
   */
  lend<T>(author: () => Promise<Author>, work: () => Promise<T>): Promise<{ value: T; settled: Promise<void> }>;
  /** Why no new file may be made at a path; null where it may. */
  whyTaken(path: string): Promise<Refusal | null>;
  isDirty(header: BlockHeader): boolean;
  /** Ends a conflict between a block and its file, whose content had this hash when it was decided about. */
  resolve(author: Author, blockId: BlockId, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>>;
  /** Writes what waits, then commits every file that Heddle has written to a branch, as far as it can; see FileTree.commit. */
  commit(commit: FileCommit): Promise<Result<CommittedFiles, Refusal>>;
  /** Writes every file that waits for it. What fails is logged and tried again later. */
  flush(): Promise<void>;
  /** Writes what waits, and lets go. */
  close(): Promise<void>;
}

const stampsAtOnce = 64;
/** How long what was written waits for its commit, so that a commit holds more than a few words. */
const commitEveryMs = 60_000;
/** Of how many files that a commit leaves out the log says why. */
const leftOutToldMax = 10;

/** How long a file may be neither opened nor changed until its block is let go of, and how often that is looked at. */
const spareMs = 30 * 24 * 60 * 60 * 1000;
const evictEveryMs = 6 * 60 * 60 * 1000;

const outsideActor: SystemActor = { type: "system", id: "files" as ActorId, name: "Files" };

export interface FilesPorts {
  readonly tree: FileTree;
  readonly hub: Pick<DocumentHub, "reader" | "editor" | "deletion" | "feeds">;
  readonly store: Store;
  readonly agents: Agents;
  readonly platform: Platform;
  newDocumentId(): DocumentId;
  /** Where what is written is committed from time to time; nowhere by default. */
  readonly branch?: string;
}

/** Takes up the files that have blocks: what was changed on disk meanwhile is taken in, what was not written is. */
export async function openWorkspaceFiles(ports: FilesPorts): Promise<WorkspaceFiles> {
  const files = new FolderFiles(ports);
  await files.takeUp();
  return files;
}

function spelledAlike({ file }: WatchedFile): string {
  return `that file is spelled ${file.path}`;
}

class FolderFiles implements WorkspaceFiles {
  readonly folder: string;
  readonly #ports: FilesPorts;
  readonly #blockPorts: FileBlockPorts;
  readonly #byPath = new Map<string, WatchedFile>();
  readonly #byId = new Map<BlockId, WatchedFile>();
  /** Who opens or makes a file. */
  readonly #queues = new PathQueues();
  readonly #lent: LentFiles;
  #unwatchHub: () => void = () => {};
  #closed = false;
  #cancelCommit: (() => void) | null = null;
  #cancelEviction: () => void = () => {};

  constructor(ports: FilesPorts) {
    const { tree, hub, store, agents, platform } = ports;
    this.#ports = ports;
    this.folder = tree.folder;
    this.#lent = new LentFiles(platform.logger);
    const outsider = async (change: string): Promise<Author> => {
      const borrower = this.#lent.author;
      if (borrower !== null) return borrower();
      return { actor: outsideActor, agent: await agents.forClient("files", outsideActor), unit: { id: change } };
    };
    this.#blockPorts = { tree, hub, store, logger: platform.logger, clock: platform.clock, outsider };
  }

  async takeUp(): Promise<void> {
    this.#unwatchHub = this.#ports.hub.feeds.files.subscribe((header) => this.#changed(header));
    for (const header of await this.#ports.hub.reader.list(null)) {
      // One that cannot be read must not keep the others, and whoever waits for the start, from theirs.
      await this.#tried("file-not-taken-up", async () => {
        const watched = await this.#manage(header);
        await watched?.takeIn();
        watched?.changed(header.version);
      });
    }
    this.#evictLater();
  }

  async list(prefix: string): ReturnType<WorkspaceFiles["list"]> {
    const listed = await this.#ports.tree.list();
    if (!listed.ok) return listed;
    const onDisk = listed.value.paths.filter((path) => path.startsWith(prefix));
    const blocks = [...this.#byPath.values()].map(({ file }) => file.path).filter((path) => path.startsWith(prefix));
    const files = await this.#stateOf([...new Set([...onDisk, ...blocks])]);
    return ok({ files, truncated: listed.value.truncated });
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
    // A file beside an open one that is spelled alike is there, though it cannot be opened.
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
      if (conflict) return [{ path, problem: "it was changed here and outside, and nobody has decided" }];
      return dirty && problem !== null ? [{ path, problem }] : [];
    });
    for (;;) {
      const left = new Set(leftOut.map(({ path }) => path));
      const paths = files.flatMap(({ path }) => (left.has(path) ? [] : [path]));
      const committed = await this.#ports.tree.commit(paths, commit);
      if (committed.ok) {
        this.#tellLeftOut(commit.branch, leftOut);
        return ok({ commit: committed.value, leftOut });
      }
      const unfit = unfitFilesOf(committed.error).filter(({ path }) => !left.has(path));
      if (unfit.length === 0) return committed;
      leftOut.push(...unfit);
    }
  }

  #tellLeftOut(branch: string, leftOut: readonly UnfitFile[]): void {
    if (leftOut.length === 0) return;
    const files = leftOut.slice(0, leftOutToldMax).map(({ path, problem }) => `${path}: ${problem}`);
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
        for (const watched of this.#byId.values()) this.#letGo(watched);
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
      metadata: { path },
    });
    if (!created.ok) return created;
    // As an edit, so that it can be taken back.
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
        metadata: { path },
      },
    );
    if (!created.ok) return created;
    const opened = await this.#manage(created.value);
    const noted = await opened?.file.made(created.value.version, read.value);
    return noted?.ok === false ? noted : ok(created.value.id);
  }

  /** Takes a block with a path into care, once. The oldest has the path. */
  async #manage(header: BlockHeader): Promise<WatchedFile | null> {
    const known = this.#byId.get(header.id);
    if (known !== undefined) return known;
    const path = readFilePath(blockPath(header) ?? "");
    if (!path.ok || header.deletedAt !== undefined) return null;
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

  #letGo(watched: WatchedFile): void {
    watched.letGo();
    this.#byId.delete(watched.file.id);
    const key = caseFolded(watched.file.path);
    if (this.#byPath.get(key) === watched) this.#byPath.delete(key);
  }

  /** A block was committed. */
  #changed(header: BlockHeader): void {
    const watched = this.#byId.get(header.id);
    if (watched !== undefined) {
      if (header.deletedAt === undefined) watched.changed(header.version);
      else this.#letGo(watched);
      return;
    }
    const path = blockPath(header);
    // A block that is being loaded is taken up by whoever loads it.
    if (path === undefined || this.#queues.isBusy(path)) return;
    this.#logged("file-not-taken-up", async () => (await this.#manage(header))?.changed(header.version));
  }

  #commitLater(): void {
    if (this.#ports.branch === undefined || this.#closed) return;
    this.#cancelCommit ??= this.#ports.platform.clock.setTimer(commitEveryMs, () => {
      this.#cancelCommit = null;
      this.#logged("files-not-committed", () => this.#commitToBranch());
    });
  }

  /** What was written since the last time, as one commit. */
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

  /** Lets go of the blocks of files that nobody has used for long and that the disk has whole. */
  async #evict(): Promise<void> {
    const { hub, platform } = this.#ports;
    const since = platform.clock.now() - spareMs;
    for (const header of await hub.reader.list(null)) {
      const watched = this.#byId.get(header.id);
      if (watched === undefined || this.#closed || !watched.file.isSpare(header, since)) continue;
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
