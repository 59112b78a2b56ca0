import type { SystemActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { besidePath } from "../../core/base/beside-path.ts";
import { caseFolded, readFilePath, type FilePath } from "../../core/base/file-path.ts";
import type { ActorId, BlockId, FolderId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { KeptSide } from "../../core/protocol/commands.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { FileCommit, FileHash } from "../../core/port/file-tree.ts";
import { closeInOrder } from "../base/close-in-order.ts";
import type { BlockEntry, TrashOptions } from "../document/block-deletion.ts";
import type { Author, EditOptions } from "../document/record/types.ts";
import { FileBlock, textOf } from "./file-block.ts";
import type { FileBlockPorts } from "./file-block-ports.ts";
import { evictRegularly } from "./evict-files.ts";
import { FolderCommits, type CommittedFiles } from "./folder-commits.ts";
import { fileStateOf, putFileState, unwritten } from "./file-state.ts";
import { LentFiles, type SeenText } from "./lent-files.ts";
import { PathQueues } from "./path-queues.ts";
import { stampedFiles } from "./stamped-files.ts";
import { followTrash, goneFrom, takenWords } from "./trashed-files.ts";
import { WatchedFile } from "./watched-file.ts";
import type {
  FileReading,
  FilesPorts,
  RestoredFile,
  UnopenedFile,
  WorkspaceFile,
  WorkspaceFiles,
} from "./workspace-files-types.ts";

const outsideActor: SystemActor = { type: "system", id: "files" as ActorId, name: "Files" };

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
  readonly #following = new Set<Promise<void>>();
  /** Blocks in the trash whose files are being removed. */
  readonly #leaving = new Map<BlockId, Promise<void>>();
  #unwatchHub: () => void = () => {};
  #closed = false;
  readonly #commits: FolderCommits;
  #cancelEviction: () => void = () => {};

  constructor(ports: FilesPorts) {
    const { tree, hub, store, replicas, platform, blobs } = ports;
    this.#ports = ports;
    this.folder = tree.folder;
    this.#ownership = ports.folder === undefined ? {} : { folder: ports.folder.id };
    this.#lent = new LentFiles(platform.logger);
    const outsider = async (change: string): Promise<Author> => {
      const borrower = this.#lent.author;
      if (borrower !== null) return borrower();
      return { actor: outsideActor, replica: await replicas.forClient("files", outsideActor), unit: { id: change } };
    };
    this.#blockPorts = {
      tree,
      hub,
      store,
      blobs,
      logger: platform.logger,
      clock: platform.clock,
      outsider,
      seen: (path, written) => this.#lent.seen(path, written),
      isTaken: (path, but) => (this.#byPath.get(caseFolded(path))?.file.id ?? but) !== but,
      newKey: () => Buffer.from(platform.random.bytes(6)).toString("hex"),
    };
    this.#commits = new FolderCommits({
      tree,
      platform,
      branch: ports.branch,
      flush: () => this.flush(),
      written: () => [...this.#byId.values()].flatMap(({ file }) => (file.isWritten ? [file] : [])),
      opened: () => this.opened(),
    });
  }

  async takeUp(): Promise<void> {
    this.#unwatchHub = this.#ports.hub.feeds.files.subscribe((header) => this.#changed(header));
    // First, so that the path of a deleted file is free for another one that was moved there.
    await this.#tried("trash-not-followed", () => followTrash(this.#blockPorts, this.#ports.folder));
    for (const header of await this.#ports.hub.reader.list(null)) {
      // An unreadable file must not keep the others, and callers that wait for the start, from opening.
      await this.#tried("file-not-taken-up", async () => {
        const watched = await this.#manage(header);
        await watched?.mergeFile();
        watched?.changed(header.version);
      });
    }
    const { hub, platform } = this.#ports;
    this.#cancelEviction = evictRegularly({ hub, platform, fileOf: (id) => this.#byId.get(id)?.file ?? null });
  }

  async list(prefix: string): ReturnType<WorkspaceFiles["list"]> {
    const listed = await this.#listed(() => true);
    if (!listed.ok) return listed;
    const { paths, truncated } = listed.value;
    return ok({ files: await this.#stateOf(paths.filter((path) => path.startsWith(prefix))), truncated });
  }

  paths(): ReturnType<WorkspaceFiles["paths"]> {
    return this.#listed(({ wasDeleted }) => !wasDeleted);
  }

  async #listed(counts: (file: FileBlock) => boolean): ReturnType<WorkspaceFiles["paths"]> {
    const listed = await this.#ports.tree.list();
    if (!listed.ok) return listed;
    const blocks = [...this.#byPath.values()].flatMap(({ file }) => (counts(file) ? [file.path] : []));
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
        blockId: watched?.file.isBinary === false ? watched.file.id : null,
        dirty: header !== undefined && (watched?.file.isDirty(header.version) ?? false),
        conflict: watched?.file.hasConflict ?? false,
        gone: header !== undefined && (watched?.file.isGone(header.version) ?? false),
        problem: alike === undefined ? null : alike === watched ? alike.problem : spelledAlike(alike),
      };
    });
  }

  async open(given: string): Promise<Result<BlockId, Refusal>> {
    const path = readFilePath(given);
    return path.ok ? this.#queues.run(path.value, () => this.#open(path.value)) : path;
  }

  async hold(given: string): Promise<Result<BlockId, Refusal>> {
    const path = readFilePath(given);
    return path.ok ? this.#queues.run(path.value, () => this.#open(path.value, { takesBinary: true })) : path;
  }

  async unopened(prefix: string): Promise<Result<readonly UnopenedFile[], Refusal>> {
    const listed = await this.#ports.tree.list();
    if (!listed.ok) return listed;
    // A file beside an open one whose path differs only in case exists, though it cannot be opened.
    const isOpen = (path: FilePath): boolean => this.#byPath.get(caseFolded(path))?.file.path === path;
    const paths = listed.value.paths.filter((path) => path.startsWith(prefix) && !isOpen(path));
    return ok(await stampedFiles(this.#ports.tree, paths));
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
      if (!now.ok) return now;
      if (this.isGone(now.value.header)) return err(goneFrom(path.value));
      return ok({ path: path.value, text: now.value.text, blockId: now.value.header.id });
    }
    const read = await this.#ports.tree.read(path.value);
    if (!read.ok) return read;
    if (read.value === null) return err(refusal("FILE_NOT_FOUND", { path: path.value }));
    const text = textOf(read.value);
    return text.ok
      ? ok({ path: path.value, text: text.value, blockId: null })
      : err(refusal("FILE_NOT_TEXT", { path: path.value }));
  }

  async bytes(given: string): ReturnType<WorkspaceFiles["bytes"]> {
    const path = readFilePath(given);
    if (!path.ok) return path;
    await this.#byPath.get(caseFolded(path.value))?.write();
    const read = await this.#ports.tree.read(path.value);
    if (!read.ok) return read;
    return read.value === null ? err(refusal("FILE_NOT_FOUND", { path: path.value })) : ok(read.value);
  }

  async make(author: Author, given: string, text: string): Promise<Result<BlockHeader, Refusal>> {
    const path = readFilePath(given);
    return path.ok ? this.#queues.run(path.value, () => this.#make(author, path.value, text)) : path;
  }

  put: WorkspaceFiles["put"] = async (given, bytes) => {
    const path = readFilePath(given);
    if (!path.ok) return path;
    return this.#queues.run(path.value, async () => {
      const taken = await this.whyTaken(path.value);
      if (taken !== null) {
        const there = await this.#ports.tree.read(path.value);
        const isSame = there.ok && there.value !== null && Buffer.compare(there.value.bytes, bytes) === 0;
        return isSame ? ok(path.value) : err(taken);
      }
      const written = await this.#ports.tree.replace(path.value, bytes, null);
      return written.ok ? ok(path.value) : written;
    });
  };

  async save(blockId: BlockId): Promise<Result<void, Refusal>> {
    return this.#byId.get(blockId)?.write() ?? ok(undefined);
  }

  async lend<T>(
    author: () => Promise<Author>,
    work: () => Promise<T>,
    seen?: SeenText,
  ): Promise<{ value: T; settled: Promise<void> }> {
    await this.flush();
    return this.#lent.lend(() => [...this.#byId.values()], author, work, seen);
  }

  delete: WorkspaceFiles["delete"] = async (author, blockId, options = {}) => {
    const watched = this.#byId.get(blockId);
    if (watched === undefined) return err(refusal("FILE_NOT_FOUND", { block_id: blockId }));
    const { path } = watched.file;
    return this.#queues.run(path, async () => {
      const deleted = await watched.file.delete(author, options);
      if (deleted.ok) this.#commits.removed(path);
      return deleted;
    });
  };

  move: WorkspaceFiles["move"] = async (author, blockId, given, options = {}) => {
    const to = readFilePath(given);
    if (!to.ok) return to;
    const watched = this.#byId.get(blockId);
    if (watched === undefined) return err(refusal("FILE_NOT_FOUND", { block_id: blockId }));
    const work = () => this.#move(watched, { author, to: to.value, options });
    return this.#queues.runBoth(watched.file.path, to.value, work);
  };

  restore: WorkspaceFiles["restore"] = async (author, entry, { keepsBoth = false, ...options } = {}) => {
    const header = await this.#ports.store.block(entry.object.blockId);
    const path = readFilePath((header === null ? undefined : blockPath(header)) ?? "");
    if (!path.ok) return path;
    for (let attempt = 0; ; attempt += 1) {
      const to = attempt === 0 ? path.value : besidePath(path.value, "restored", attempt);
      const restored = await this.#queues.run(to, () => this.#restore(author, entry, { to, options }));
      if (restored.ok || restored.error.code !== "FILE_EXISTS" || !keepsBoth) return restored;
    }
  };

  async bringBack(blockId: BlockId): Promise<Result<void, Refusal>> {
    return this.#byId.get(blockId)?.file.bringBack() ?? ok(undefined);
  }

  isGone(header: BlockHeader): boolean {
    return this.#byId.get(header.id)?.file.isGone(header.version) ?? false;
  }

  async whyTaken(given: string, mover?: BlockId): Promise<Refusal | null> {
    const path = readFilePath(given);
    if (!path.ok) return path.error;
    const watched = this.#byPath.get(caseFolded(path.value));
    // Another case of its own name: the disk decides.
    if (watched !== undefined && watched.file.id === mover && watched.file.path !== path.value) return null;
    if (watched !== undefined) return refusal("FILE_EXISTS", { path: watched.file.path, block_id: watched.file.id });
    const read = await this.#ports.tree.read(path.value);
    if (!read.ok) return read.error;
    return read.value === null ? null : refusal("FILE_EXISTS", { path: path.value });
  }

  isDirty(header: BlockHeader): boolean {
    return this.#byId.get(header.id)?.file.isDirty(header.version) ?? false;
  }

  async conflictingText(
    blockId: BlockId,
  ): Promise<Result<{ readonly theirs: string; readonly hash: FileHash }, Refusal>> {
    const watched = this.#byId.get(blockId);
    return watched?.file.conflictingText() ?? err(refusal("FILE_NOT_FOUND", { block_id: blockId }));
  }

  async resolve(author: Author, blockId: BlockId, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>> {
    const watched = this.#byId.get(blockId);
    return watched === undefined
      ? err(refusal("FILE_NOT_FOUND", { block_id: blockId }))
      : watched.file.resolve(author, keep, seen);
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#following, ...this.#leaving.values()]);
    await Promise.all([...this.#byId.values()].map((watched) => watched.write()));
  }

  commit(commit: FileCommit): Promise<Result<CommittedFiles, Refusal>> {
    return this.#commits.commit(commit);
  }

  close(): Promise<void> {
    return closeInOrder([
      () => this.flush(),
      () => this.#commits.toBranch(),
      () => {
        this.#closed = true;
        this.#commits.stop();
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
    const created = await this.#create(author, path, text, { asEdit: true });
    if (!created.ok) return created;
    const watched = await this.#manage(created.value);
    await watched?.write();
    return created;
  }

  async #open(path: FilePath, { takesBinary = false } = {}): Promise<Result<BlockId, Refusal>> {
    const watched = this.#byPath.get(caseFolded(path));
    if (watched !== undefined) {
      if (watched.file.path !== path) {
        return err(refusal("PATH_REFUSED", { path, problem: spelledAlike(watched) }));
      }
      await watched.opened();
      if (!watched.file.isBinary) return ok(watched.file.id);
    }
    const read = await this.#ports.tree.read(path);
    if (!read.ok) return read;
    const text = read.value === null ? null : textOf(read.value);
    if (text?.ok === false && !takesBinary) return err(refusal("FILE_NOT_TEXT", { path }));
    if (watched !== undefined && text?.ok === false) return ok(watched.file.id);
    // It was not text, and is now, or is gone.
    if (watched !== undefined) await this.#evict(watched);
    if (read.value === null || text === null) return err(refusal("FILE_NOT_FOUND", { path }));
    const { hash } = read.value;
    const outsider = await this.#blockPorts.outsider(`outside/${hash.slice(0, 16)}`);
    const state = { ...unwritten, version: 1, hash, path };
    const also = (id: BlockId): readonly StoreWrite[] => [putFileState(id, state)];
    const created = await this.#create(outsider, path, text.ok ? text.value : null, { also });
    if (!created.ok) return created;
    await this.#manage(created.value);
    return ok(created.value.id);
  }

  /** Makes the block of a file; `text` null: the file is not text. */
  #create(
    author: Author,
    path: FilePath,
    text: string | null,
    options: { readonly also?: (id: BlockId) => readonly StoreWrite[]; readonly asEdit?: boolean },
  ): Promise<Result<BlockHeader, Refusal>> {
    const metadata = { path, ...this.#ownership, ...(text === null ? { binary: true } : {}) };
    const documentId = this.#ports.newDocumentId();
    const made = { parentId: null, role: "user", kind: "file", status: "done" } as const;
    return this.#ports.hub.editor.create(author, { documentId, ...made, text: text ?? "", metadata }, options);
  }

  async #move(
    watched: WatchedFile,
    { author, to, options }: { readonly author: Author; readonly to: FilePath; readonly options: EditOptions },
  ): Promise<Result<{ readonly version: number; readonly path: FilePath }, Refusal>> {
    const { path: from, id } = watched.file;
    const taken = to === from ? null : await this.whyTaken(to, id);
    if (taken !== null) return err(taken);
    const moved = await watched.file.move(author, to, options);
    this.#placed(watched);
    if (!moved.ok) return moved;
    if (to !== from) this.#commits.removed(from);
    const now = await this.#ports.hub.reader.read(id);
    return ok({ version: now.ok ? now.value.header.version : moved.value.version, path: to });
  }

  async #restore(
    author: Author,
    entry: BlockEntry,
    { to, options }: { readonly to: FilePath; readonly options: TrashOptions },
  ): Promise<Result<RestoredFile, Refusal>> {
    const { blockId } = entry.object;
    const taken = await this.whyTaken(to);
    if (taken !== null) return err({ ...taken, message: takenWords(to) });
    // What was set aside is removed first: the state of the file belongs to the restored block from then on.
    await this.#leaving.get(blockId);
    const restored = await this.#ports.hub.deletion.restore(author, entry, { ...options, path: to });
    if (!restored.ok) return restored;
    const header = await this.#ports.store.block(blockId);
    const watched = header === null ? null : await this.#manage(header);
    return ok({ ...restored.value, path: to, saved: (await watched?.write()) ?? ok(undefined) });
  }

  /** Lets the disk follow a block that was deleted; a restoration waits for it. */
  #leave(watched: WatchedFile): void {
    this.#release(watched);
    const { id, path } = watched.file;
    const left = this.#tried("file-not-removed", async () => {
      await watched.file.settle();
      // The block of an unused file was evicted: its file stays.
      if ((await this.#ports.tree.stamp(path)) === null) this.#commits.removed(path);
    }).finally(() => {
      if (this.#leaving.get(id) === left) this.#leaving.delete(id);
    });
    this.#leaving.set(id, left);
  }

  /** Forgets a block without text; its file stays as it is. */
  async #evict({ file: { id } }: WatchedFile): Promise<void> {
    const { hub } = this.#ports;
    const now = await hub.reader.read(id);
    if (now.ok) await hub.deletion.evict(await this.#blockPorts.outsider(`spare/${id}`), id, now.value.header.version);
    await this.#leaving.get(id);
  }

  /** Lets the disk follow a block that has another path now. */
  async #follow(watched: WatchedFile): Promise<void> {
    await this.#left();
    const from = watched.file.path;
    await watched.file.settle();
    if (watched.file.path !== from) this.#commits.removed(from);
    this.#placed(watched);
  }

  /** Waits until the files of deleted blocks are gone: others may get their paths. */
  async #left(): Promise<void> {
    await Promise.all(this.#leaving.values());
  }

  /** Waits until no file is at a path that is about to leave it. */
  async #vacated(path: FilePath): Promise<void> {
    await this.#left();
    const there = this.#byPath.get(caseFolded(path));
    const header = there === undefined ? null : await this.#ports.store.block(there.file.id);
    if (there !== undefined && header !== null && blockPath(header) !== there.file.path) await this.#follow(there);
  }

  /** Records the path that a file has on disk now. */
  #placed(watched: WatchedFile): void {
    const key = caseFolded(watched.file.path);
    if (this.#byId.get(watched.file.id) !== watched) return;
    for (const [known, other] of this.#byPath) if (other === watched) this.#byPath.delete(known);
    if (!this.#byPath.has(key)) this.#byPath.set(key, watched);
    watched.rewatch();
  }

  /** Starts to watch a block with a path, once. The oldest block has the path. */
  async #manage(header: BlockHeader): Promise<WatchedFile | null> {
    const known = this.#byId.get(header.id);
    if (known !== undefined) return known;
    const path = readFilePath(blockPath(header) ?? "");
    if (!path.ok || header.deletedAt !== undefined || this.#ports.folder?.owns(header) === false) return null;
    await this.#leaving.get(header.id);
    const file = await FileBlock.of(path.value, header, this.#blockPorts);
    if (file.isBehind(path.value)) await file.settle();
    const key = caseFolded(file.path);
    const meanwhile = this.#byId.get(header.id);
    if (meanwhile !== undefined) return meanwhile;
    if (this.#byPath.has(key) || this.#closed) return null;
    const { tree, platform } = this.#ports;
    const watched = new WatchedFile(file, { tree, platform, onWritten: () => this.#commits.later() });
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

  /** Takes up a block that another part made or restored; a restored one beside the file that has its path now. */
  async #takeUpLater(header: BlockHeader): Promise<void> {
    const path = readFilePath(blockPath(header) ?? "");
    if (header.deletedAt !== undefined || !path.ok) return;
    await this.#vacated(path.value);
    const managed = await this.#queues.run(path.value, async () => {
      const { version, hash, path: lastPath } = await fileStateOf(this.#ports.store, header.id);
      // It comes from the trash: its file was removed.
      const hasNoFile = lastPath !== null && version === 0 && hash === null && !this.#byId.has(header.id);
      return hasNoFile && (await this.whyTaken(path.value)) !== null ? null : this.#manage(header);
    });
    if (managed !== null) return managed.changed(header.version);
    const { hub } = this.#ports;
    const author = await this.#blockPorts.outsider(`beside/${header.version}`);
    for (let attempt = 1; ; attempt += 1) {
      const beside = besidePath(path.value, "restored", attempt);
      if ((await this.whyTaken(beside)) !== null) continue;
      await hub.editor.update(author, header.id, { path: beside });
      return;
    }
  }

  /** Handles a committed block. */
  #changed(header: BlockHeader): void {
    const watched = this.#byId.get(header.id);
    if (watched !== undefined) {
      if (header.deletedAt !== undefined) return this.#leave(watched);
      watched.changed(header.version);
      if (blockPath(header) !== watched.file.path) this.#logged("file-not-moved", () => this.#follow(watched));
      return;
    }
    const path = blockPath(header);
    // The call that is loading this block starts to watch it.
    if (path === undefined || this.#ports.folder?.owns(header) === false || this.#queues.isBusy(path)) return;
    this.#logged("file-not-taken-up", () => this.#takeUpLater(header));
  }

  /** Starts a job that follows a change of a block; a flush waits for it. */
  #logged(event: string, job: () => Promise<void>): void {
    const following = this.#tried(event, job).finally(() => this.#following.delete(following));
    this.#following.add(following);
  }

  #tried(event: string, job: () => Promise<void>): Promise<void> {
    return job().catch((bug: unknown) => this.#ports.platform.logger.error(event, { reason: reasonOf(bug) }));
  }
}
