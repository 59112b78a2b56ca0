import { basename, isAbsolute } from "node:path";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { Folder, FolderRights } from "../../core/base/folder.ts";
import { timeSortedId, type DocumentId, type FolderId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { blockFolder, blockPath } from "../../core/block/list-blocks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import { closeInOrder } from "../base/close-in-order.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notRemembered, type Remember } from "../base/once.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { notStored } from "../base/store-refusal.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import type { FileBlockPorts } from "./file-block-ports.ts";
import { fileStateOf } from "./file-state.ts";
import { inPresentFolder, withRights } from "./folder-rights.ts";
import type {
  FolderOffer,
  FolderOpener,
  FolderParts,
  Folders,
  FolderState,
  NewFolder,
  OpenedFolder,
} from "./folder-types.ts";
import { openWorkspaceFiles } from "./workspace-files.ts";
import type { WorkspaceFiles } from "./workspace-files-types.ts";

export interface FoldersPorts {
  readonly hub: Pick<DocumentHub, "reader" | "editor" | "deletion" | "comments" | "feeds">;
  readonly store: Store;
  readonly replicas: Replicas;
  readonly blobs: FileBlockPorts["blobs"];
  readonly platform: Platform;
  readonly newDocumentId: () => DocumentId;
  /** null: no folder can be opened but the one at hand. */
  readonly opener: FolderOpener | null;
  /** The folder that the server was started with, opened; null without one. */
  readonly atHand: (OpenedFolder & { readonly branch?: string }) | null;
}

/** Opens the known folders. A folder that is not at its path is away, and is tried again from time to time. */
export async function openFolders(ports: FoldersPorts): Promise<Folders> {
  const folders = new KnownFolders(ports);
  await folders.open();
  return folders;
}

/** How often it is checked whether folders went away or came back. Milliseconds. */
const lookEveryMs = 5_000;
const nameUnitsMax = 200;

/** The parts of a folder that was found at its path, and whether it is there now. */
interface Here {
  readonly parts: OpenedFolder;
  readonly files: WorkspaceFiles;
}

class KnownFolders implements Folders {
  defaultId: FolderId | null = null;
  readonly #ports: FoldersPorts;
  /** Also the removed ones, in order. */
  readonly #folders = new Map<FolderId, Folder>();
  readonly #here = new Map<FolderId, Here>();
  readonly #awayById = new Map<FolderId, string>();
  /** The folder of file blocks from before files had folders; null: nobody's. */
  #firstId: FolderId | null = null;
  readonly #queue = new SerialQueue();
  readonly #listeners = new Set<() => void>();
  readonly #fileListeners = new Set<(folderId: FolderId) => void>();
  readonly #listWatches = new Map<FolderId, () => void>();
  #cancelLook: (() => void) | null = null;
  #closed = false;

  constructor(ports: FoldersPorts) {
    this.#ports = ports;
  }

  get canAdd(): boolean {
    return this.#ports.opener !== null;
  }

  async open(): Promise<void> {
    const { store, atHand } = this.#ports;
    for (const folder of await store.folders()) this.#folders.set(folder.id, folder);
    const first = (await store.meta(metaKeys.firstFolder))?.["folderId"];
    if (typeof first === "string") this.#firstId = first as FolderId;
    if (atHand !== null) await this.#openAtHand(atHand);
    for (const folder of this.#folders.values()) if (folder.removedAt === null) await this.#tryToOpen(folder);
    this.#lookLater();
  }

  list(): readonly FolderState[] {
    return [...this.#folders.values()]
      .filter(({ removedAt }) => removedAt === null)
      .map((folder) => this.#state(folder));
  }

  get(folderId: FolderId): FolderState | null {
    const folder = this.#folders.get(folderId);
    return folder === undefined ? null : this.#state(folder);
  }

  offer(folderId: FolderId | null): FolderOffer {
    const known = folderId === null ? undefined : this.#folders.get(folderId);
    return this.#offerWith(known?.rights ?? null);
  }

  offerAnywhere(): FolderOffer {
    return this.#offerWith(this.#folders.size === 0 ? null : "commands");
  }

  #offerWith(rights: FolderRights | null): FolderOffer {
    const { atHand, opener } = this.#ports;
    const hosts = atHand?.shell?.hosts ?? opener?.hosts ?? null;
    return {
      files: rights !== null,
      writes: rights !== null && rights !== "read",
      shell: rights === "commands" && hosts !== null,
      hosts: hosts ?? [],
    };
  }

  async use(folderId: FolderId): Promise<Result<FolderParts, Refusal>> {
    const folder = this.#folders.get(folderId);
    if (folder === undefined) return err(refusal("FOLDER_NOT_FOUND", { folder_id: folderId }));
    if (folder.removedAt !== null) return err(removed(folder));
    if (!this.#here.has(folderId)) await this.#queue.run(() => this.#tryToOpen(folder));
    const here = this.#here.get(folderId);
    if (here === undefined) return err(awayFrom(folder, this.#awayById.get(folderId) ?? "it was not opened"));
    const present = await here.parts.tree.present();
    this.#noteAway(folderId, present.ok ? null : awayWords(present.error));
    if (!present.ok) return present;
    return ok({ folder, files: here.files, shell: folder.rights === "commands" ? here.parts.shell : null });
  }

  folderOf(header: BlockHeader): FolderId | null {
    if (blockPath(header) === undefined) return null;
    const folder = blockFolder(header);
    return folder === undefined ? this.#firstId : folder;
  }

  async isRunByGit(path: string): Promise<boolean> {
    const asked = await Promise.all([...this.#here.values()].map(({ parts }) => parts.tree.isRunByGit(path)));
    return asked.includes(true);
  }

  filesOf(folderId: FolderId): WorkspaceFiles | null {
    return this.#here.get(folderId)?.files ?? null;
  }

  isDirty(header: BlockHeader): boolean {
    const folderId = this.folderOf(header);
    return folderId !== null && (this.filesOf(folderId)?.isDirty(header) ?? false);
  }

  add: Folders["add"] = (wish, remember = notRemembered) => this.#queue.run(() => this.#add(wish, remember));

  change: Folders["change"] = (folderId, change, remember = notRemembered) =>
    this.#queue.run(async () => {
      const folder = this.#folders.get(folderId);
      if (folder === undefined || folder.removedAt !== null) return err(unknownFolder(folderId));
      const name = change.name === undefined ? ok(folder.name) : nameFrom(change.name);
      if (!name.ok) return name;
      const kept = await this.#put({ ...folder, ...change, name: name.value }, remember({}, null));
      // What waited for the right to be written is written now.
      if (kept.ok) void this.filesOf(folderId)?.flush();
      return kept;
    });

  remove: Folders["remove"] = (folderId, remember = notRemembered) =>
    this.#queue.run(async () => {
      const folder = this.#folders.get(folderId);
      if (folder === undefined || folder.removedAt !== null) return err(unknownFolder(folderId));
      if (folderId === this.defaultId) return err(startedWith(folder));
      const now = this.#ports.platform.clock.now();
      const put = await this.#put({ ...folder, removedAt: now }, remember({}, null));
      if (!put.ok) return put;
      await this.#release(folderId);
      return ok(undefined);
    });

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onFilesChanged(listener: (folderId: FolderId) => void): () => void {
    this.#fileListeners.add(listener);
    for (const id of this.#here.keys()) this.#watchList(id);
    return () => {
      this.#fileListeners.delete(listener);
      if (this.#fileListeners.size > 0) return;
      for (const stop of this.#listWatches.values()) stop();
      this.#listWatches.clear();
    };
  }

  #watchList(folderId: FolderId): void {
    const here = this.#here.get(folderId);
    if (here === undefined || this.#fileListeners.size === 0 || this.#listWatches.has(folderId)) return;
    const stop = here.parts.tree.watchList(() => {
      for (const listener of this.#fileListeners) listener(folderId);
    });
    this.#listWatches.set(folderId, stop);
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#here.values()].map(({ files }) => files.flush()));
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    return this.#queue.run(() => closeInOrder([...this.#here.keys()].map((id) => () => this.#release(id))));
  }

  /** Finds or adds the folder that the server was started with. */
  async #openAtHand(atHand: NonNullable<FoldersPorts["atHand"]>): Promise<void> {
    const { store } = this.#ports;
    const path = atHand.tree.folder;
    const known = this.#withPath(path);
    const folder = {
      ...(known ?? this.#newFolder({ path })),
      branch: atHand.branch ?? known?.branch ?? null,
      removedAt: null,
    };
    const isFirst = known === undefined && this.#folders.size === 0 && this.#firstId === null;
    const roots = known === undefined ? await store.roots() : [];
    const earlier = roots
      .filter((root) => root.folderId === undefined && root.cwd === path)
      .map((root): StoreWrite => ({ type: "put-root", root: { ...root, folderId: folder.id } }));
    const first: StoreWrite = { type: "put-meta", key: metaKeys.firstFolder, value: { folderId: folder.id } };
    const writes: readonly StoreWrite[] = [{ type: "put-folder", folder }, ...(isFirst ? [first] : []), ...earlier];
    const stored = await store.commit(writes);
    if (!stored.ok) throw new Error(`the folder ${path} could not be stored: ${stored.error.code}`);
    if (isFirst) this.#firstId = folder.id;
    this.#folders.set(folder.id, folder);
    this.defaultId = folder.id;
    await this.#begin(folder, atHand);
  }

  async #add(
    wish: NewFolder,
    remember: Remember<{ readonly folderId: FolderId }>,
  ): Promise<Result<FolderState, Refusal>> {
    const { opener } = this.#ports;
    if (this.#closed) return err(refusal("SHUTTING_DOWN"));
    if (!isAbsolute(wish.path)) return err(refusal("INVALID_PARAMS", { path: "path", expected: "an absolute path" }));
    const name = wish.name === undefined ? ok(undefined) : nameFrom(wish.name);
    if (!name.ok) return name;
    if (opener === null) return err(refusal("FORBIDDEN", {}, "This server opens no further folders."));
    const opened = await opener.open(wish.path);
    if (!opened.ok) return opened;
    const { path: _given, name: _name, ...rest } = wish;
    const path = opened.value.tree.folder;
    const known = this.#withPath(path);
    const base = known ?? this.#newFolder({ path });
    const folder = { ...base, ...rest, name: name.value ?? base.name, removedAt: null };
    const put = await this.#put(folder, remember({ folderId: folder.id }, null));
    const isHere = known !== undefined && (await this.#here.get(known.id)?.parts.tree.present())?.ok === true;
    if (!put.ok || isHere) {
      await closeParts(opened.value);
      return put.ok ? ok(this.#state(folder)) : put;
    }
    if (this.#here.has(folder.id)) await this.#release(folder.id);
    await this.#begin(folder, opened.value);
    return ok(this.#state(folder));
  }

  async #put(folder: Folder, also: readonly StoreWrite[]): Promise<Result<void, Refusal>> {
    const stored = await this.#ports.store.commit([{ type: "put-folder", folder }, ...also]);
    if (!stored.ok) return err(notStored(stored.error));
    this.#folders.set(folder.id, folder);
    this.#changed();
    return ok(undefined);
  }

  #newFolder({ path }: { readonly path: string }): Folder {
    const { clock, random } = this.#ports.platform;
    const now = clock.now();
    const id = timeSortedId("folder", now, random.bytes(12)) as FolderId;
    const name = basename(path).slice(0, nameUnitsMax) || path;
    return { id, name, path, rights: "commands", branch: null, trusted: null, createdAt: now, removedAt: null };
  }

  #withPath(path: string): Folder | undefined {
    return [...this.#folders.values()].find((folder) => folder.path === path);
  }

  #state(folder: Folder): FolderState {
    const away = this.#awayById.get(folder.id) ?? (folder.removedAt === null ? null : "it was removed from Heddle");
    return { ...folder, away, isDefault: folder.id === this.defaultId };
  }

  /** Opens a folder that is not open, if it is at its path. */
  async #tryToOpen(folder: Folder): Promise<void> {
    const { opener, platform } = this.#ports;
    if (this.#here.has(folder.id) || this.#closed) return;
    if (opener === null) return this.#noteAway(folder.id, "this server opens no further folders");
    const opened = await opener.open(folder.path);
    if (!opened.ok) return this.#noteAway(folder.id, awayWords(opened.error));
    const { tree } = opened.value;
    const why = tree.folder === folder.path ? await this.#whyEmptied(folder, opened.value) : "its path is a link now";
    if (why !== null) {
      await closeParts(opened.value);
      return this.#noteAway(folder.id, why);
    }
    try {
      await this.#begin(folder, opened.value);
    } catch (problem) {
      platform.logger.error("folder-not-opened", { folder: folder.path, reason: reasonOf(problem) });
      this.#noteAway(folder.id, reasonOf(problem));
    }
  }

  /**
   * Returns why an empty folder is not used: where it had files, nothing may be mounted at its path. A person who did empty
   * it adds it again.
   */
  async #whyEmptied(folder: Folder, { tree }: OpenedFolder): Promise<string | null> {
    const listed = await tree.list();
    if (!listed.ok) return awayWords(listed.error);
    if (listed.value.paths.length > 0) return null;
    const { hub, store } = this.#ports;
    for (const header of await hub.reader.list(null)) {
      if (this.folderOf(header) !== folder.id || (await fileStateOf(store, header.id)).hash === null) continue;
      return "it is empty, though it had files; mount it, or add it again if it was emptied";
    }
    return null;
  }

  async #begin(folder: Folder, opened: OpenedFolder): Promise<void> {
    const { hub, store, replicas, blobs, platform, newDocumentId } = this.#ports;
    const { id, branch } = folder;
    const tree = withRights(opened.tree, () => this.#folders.get(id)?.rights ?? "read");
    const files = await openWorkspaceFiles({
      tree,
      hub,
      store,
      replicas,
      blobs,
      platform,
      newDocumentId,
      folder: { id, owns: (header) => this.folderOf(header) === id },
      ...(branch === null ? {} : { branch }),
    });
    const shell = opened.shell === null ? null : inPresentFolder(opened.shell, tree);
    this.#here.set(id, { parts: { tree, shell }, files });
    this.#watchList(id);
    this.#noteAway(id, null);
    this.#changed();
  }

  async #release(folderId: FolderId): Promise<void> {
    const here = this.#here.get(folderId);
    this.#here.delete(folderId);
    this.#awayById.delete(folderId);
    this.#listWatches.get(folderId)?.();
    this.#listWatches.delete(folderId);
    if (here !== undefined) await closeInOrder([() => here.parts.shell?.close(), () => here.files.close()]);
  }

  #noteAway(folderId: FolderId, away: string | null): void {
    const before = this.#awayById.get(folderId) ?? null;
    if (before === away) return;
    const path = this.#folders.get(folderId)?.path ?? "";
    if (away === null) this.#awayById.delete(folderId);
    else this.#awayById.set(folderId, away);
    if (away === null) this.#ports.platform.logger.info("folder-back", { folder: path });
    else this.#ports.platform.logger.warn("folder-away", { folder: path, why: away });
    this.#changed();
  }

  #lookLater(): void {
    if (this.#closed) return;
    this.#cancelLook = this.#ports.platform.clock.setTimer(lookEveryMs, () => {
      void this.#look().finally(() => this.#lookLater());
    });
  }

  /** Checks which folders are at their paths, so that people see it before they work on one. */
  async #look(): Promise<void> {
    for (const folder of this.list()) {
      const here = this.#here.get(folder.id);
      if (here === undefined) {
        await this.#queue.run(() => this.#tryToOpen(folder));
        continue;
      }
      const present = await here.parts.tree.present();
      if (this.#here.get(folder.id) === here) this.#noteAway(folder.id, present.ok ? null : awayWords(present.error));
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function closeParts({ tree, shell }: OpenedFolder): Promise<void> {
  tree.close();
  await shell?.close();
}

function nameFrom(given: string): Result<string, Refusal> {
  const name = given.trim().slice(0, nameUnitsMax);
  return name === ""
    ? err(refusal("INVALID_PARAMS", { path: "name", expected: "a name that is not blank" }))
    : ok(name);
}

function unknownFolder(folderId: FolderId): Refusal {
  return refusal("FOLDER_NOT_FOUND", { folder_id: folderId });
}

function awayWords({ message, details }: Refusal): string {
  const problem = details?.["problem"] ?? details?.["reason"];
  return typeof problem === "string" ? problem : message;
}

function awayFrom({ path }: Folder, problem: string): Refusal {
  const message = `The folder ${path} is away: ${problem}. Nothing was read or written there. Bring it back, then try again.`;
  return refusal("FOLDER_AWAY", { folder: path, problem }, message);
}

function removed({ path }: Folder): Refusal {
  const message = `The folder ${path} was removed from Heddle. Nothing was read or written there. A person can add it again.`;
  return refusal("FOLDER_AWAY", { folder: path, problem: "it was removed from Heddle" }, message);
}

function startedWith({ path }: Folder): Refusal {
  const message = `The server was started with the folder ${path}, so it stays. Start the server without --workspace first.`;
  return refusal("CONFLICT", { folder: path }, message);
}
