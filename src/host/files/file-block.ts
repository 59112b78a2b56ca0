import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { mergedWith } from "../../core/block/change/merged-with.ts";
import { threeWay } from "../../core/block/change/three-way.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { isBinaryFile } from "../../core/block/list-blocks.ts";
import { unionMerge } from "../../core/block/change/union-merge.ts";
import type { KeptSide } from "../../core/protocol/commands.ts";
import type { FileContent, FileHash } from "../../core/port/file-tree.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import type { TrashOptions, TrashStep } from "../document/block-deletion.ts";
import type { EditPlan, Planner } from "../document/block-editor.ts";
import type { Author, BlockReading, EditOptions } from "../document/record/types.ts";
import { notStored } from "../base/store-refusal.ts";
import { noteBinary, writeBinary } from "./binary-file.ts";
import { fileBase, type Base, type MergedText } from "./file-base.ts";
import type { FileBlockPorts } from "./file-block-ports.ts";
import { agreed, fileStateOf, mergedInto, putFileState, type FileState } from "./file-state.ts";
import { deleteFile, followDeletion, followPath, followRename, moveFile, settleAside } from "./file-steps.ts";
import type { PlacedFile } from "./placed-file.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** How often to try a write to a file that another program also writes. */
const attemptsMax = 3;

interface SeenMerge {
  readonly now: BlockReading;
  readonly file: FileContent;
  readonly theirs: string;
  readonly seen: string;
  readonly author: Author;
}

/** A change of the file that an edit of the block takes up. */
interface FileMerge {
  readonly author: Author;
  readonly file: FileContent;
  readonly theirs: string;
  /** The text of the block with which the edit makes exactly the file's; absent where it makes another. */
  readonly before?: string;
}

/** How long a file must have been empty before that counts as its content. Milliseconds. */
const emptyMs = 5_000;

const justEmptiedWords =
  "Another program has just emptied the file, as programs do before they write it. Heddle checks it again in a moment.";

const holdsNulWords =
  "The text has a NUL character, with which the file would not be a text file. Heddle saves the file when the character is removed.";

const conflictStaysWords =
  "The file and its document have changes that cannot be merged, so nothing was moved or deleted. Decide about the conflict first.";

const changedAgainWords =
  "Another program changed the file again after the conflict was reported, so nothing was done. Look at the file's new content, then decide.";

/**
 * A file block and its file. Every operation on the two runs here, one after the other: changes on disk are merged into the
 * block, changes in the block are written to the file, and neither overwrites the other.
 */
export class FileBlock {
  readonly id: BlockId;
  /** Whether the file is not text: see `binary-file.ts`. */
  readonly isBinary: boolean;
  /** The path that the block had when it was opened. */
  readonly #givenPath: FilePath;
  readonly #ports: FileBlockPorts;
  readonly #queue = new SerialQueue();
  #state: FileState;
  /** The file's text that was merged but is in no version of the block; lost on a restart. */
  #mergedText: MergedText | null = null;

  /** Whether the block reports the conflict that the state has, or none. */
  #isReported = false;

  /** The file as last read, so that it is found when another program renames it. */
  #inode: number | null = null;

  /** Since when the file has been empty while the block is not; monotonic. */
  #emptySince: number | null = null;

  private constructor(path: FilePath, header: BlockHeader, ports: FileBlockPorts, state: FileState) {
    this.#givenPath = path;
    this.id = header.id;
    this.isBinary = isBinaryFile(header);
    this.#ports = ports;
    this.#state = state;
  }

  static async of(path: FilePath, header: BlockHeader, ports: FileBlockPorts): Promise<FileBlock> {
    return new FileBlock(path, header, ports, await fileStateOf(ports.store, header.id));
  }

  /** Where the file is on disk, or was. */
  get path(): FilePath {
    return this.#state.path ?? this.#givenPath;
  }

  /** Whether the file is not on disk, though the block's text once was: it was deleted there. */
  isGone(version: number): boolean {
    return this.#state.hash === null && !this.isDirty(version);
  }

  /** Whether the file was deleted on disk when that was last read. */
  get wasDeleted(): boolean {
    return this.#state.hash === null && this.#state.version > 0;
  }

  get isWritten(): boolean {
    return this.#state.written;
  }

  get hasConflict(): boolean {
    return this.#state.conflict !== null;
  }

  /** Whether a version of the block has not been written to the file. */
  isDirty(version: number): boolean {
    return version > this.#state.version || this.#state.merged;
  }

  /** Records that somebody opened the file. */
  opened(now: number): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () =>
      now - this.#state.openedAt < dayMs ? ok(undefined) : this.#put({ ...this.#state, openedAt: now }),
    );
  }

  /** Whether the block has not been used since then, and its file has all of its text. */
  isUnused({ version, updatedAt }: BlockHeader, since: number): boolean {
    const { openedAt, conflict, hash } = this.#state;
    return updatedAt < since && openedAt < since && conflict === null && hash !== null && !this.isDirty(version);
  }

  /** Evicts the block where the file has all of its text; opening the file again creates another block. */
  evict(since: number): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const [now, file] = [await this.#ports.hub.reader.read(this.id), await this.#ports.tree.read(this.path)];
      if (!now.ok) return now;
      if (!file.ok) return file;
      const { header, text } = now.value;
      const hash = file.value?.hash ?? null;
      if (!this.isUnused(header, since) || hash !== this.#state.hash) return ok(undefined);
      if (hash === null || (!this.isBinary && hash !== sha256Hex(text))) return ok(undefined);
      // Comments are about the units of this block; another block would not have them.
      const commented = await this.#ports.hub.comments.list(this.id, (placed) => placed.length > 0);
      if (!commented.ok || commented.value) return ok(undefined);
      // A draft lies over the units of this block too.
      if ((await this.#ports.store.suggestions(this.id, false)).length > 0) return ok(undefined);
      const author = await this.#ports.outsider(`spare/${hash.slice(0, 16)}`);
      return this.#ports.hub.deletion.evict(author, this.id, header.version);
    });
  }

  /** Moves block and file to the trash. FILE_CHANGED when another program changed the file at that moment. */
  delete(author: Author, options: TrashOptions): Promise<Result<TrashStep, Refusal>> {
    return this.#queue.run(async () => {
      const equal = await this.#makeEqual();
      return equal.ok ? deleteFile(this.#placed, author, options) : equal;
    });
  }

  /** Renames the file, on disk too; never onto another one. */
  move(author: Author, to: FilePath, options: EditOptions): Promise<Result<{ readonly version: number }, Refusal>> {
    return this.#queue.run(async () => {
      const equal = await this.#makeEqual();
      return equal.ok ? moveFile(this.#placed, { author, to, options }) : equal;
    });
  }

  /** Whether a stop, or a change of the block alone, left the disk behind the block. */
  isBehind(path: FilePath): boolean {
    return this.#state.aside !== null || this.path !== path;
  }

  /** Whether a block that is in the trash still has its file on disk. */
  get isOnDisk(): boolean {
    return this.#state.aside !== null || this.#state.hash !== null;
  }

  /** Lets the disk follow what became of the block: it was deleted, or has another path. Ends what a stop interrupted. */
  settle(): Promise<void> {
    return this.#queue.run(async () => {
      const now = await this.#ports.hub.reader.read(this.id);
      if (!now.ok) return now.error.code === "IN_TRASH" ? followDeletion(this.#placed) : undefined;
      await settleAside(this.#placed, false);
      await followPath(this.#placed);
    });
  }

  /** Writes the file again although the block has not changed: it was deleted on disk, and somebody wants it back. */
  bringBack(): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      if (this.#state.hash !== null) return ok(undefined);
      const put = await this.#put({ ...this.#state, version: 0 });
      return put.ok ? this.#flush(1) : put;
    });
  }

  /** Makes block and file equal before a step that changes where they are. CONFLICT while they cannot be. */
  async #makeEqual(): Promise<Result<void, Refusal>> {
    this.#emptySince = -Infinity;
    const merged = await this.#mergeFile();
    if (!merged.ok) return merged;
    if (this.hasConflict) return err(refusal("CONFLICT", { path: this.path }, conflictStaysWords));
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    // A file that was deleted on disk is not written again only to be moved or deleted.
    return this.isGone(now.value.header.version) ? ok(undefined) : this.#flush(1);
  }

  get #placed(): PlacedFile {
    const state = (): FileState => this.#state;
    const path = (): FilePath => this.path;
    return {
      id: this.id,
      ports: this.#ports,
      isBinary: this.isBinary,
      get path() {
        return path();
      },
      get state() {
        return state();
      },
      put: (change) => this.#put({ ...this.#state, ...change }),
      adopt: (next) => {
        this.#state = next;
      },
    };
  }

  /** Merges what another program has written; does nothing where the file is unchanged. */
  mergeFile(): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => {
      this.#emptySince = -Infinity;
      return this.#mergeFile();
    });
  }

  /**
   * Like `mergeFile`, but waits with FILE_CHANGED while the file has just become empty: merging that and writing would make
   * the program that emptied the file continue in a file that no longer exists.
   */
  mergeUnlessJustEmptied(): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#mergeFile());
  }

  /** Writes the block to its file, where it has changed. Waits while there is a conflict. */
  flush(): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#flush(1));
  }

  /**
   * Resolves a conflict as a person decides. Undo or the history restores what is not kept of the block; what is not kept of
   * the file is lost. FILE_CHANGED, without any loss, where the file is not the one that was decided about (`seen`, the hash
   * in the reported conflict): its new content is first merged or reported as a conflict.
   */
  resolve(author: Author, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      if (this.#state.conflict === null) return err(refusal("CONFLICT", { path: this.path, conflict: false }));
      const [now, file] = [await this.#ports.hub.reader.read(this.id), await this.#ports.tree.read(this.path)];
      if (!now.ok) return now;
      if (!file.ok) return file;
      if (file.value === null || file.value.hash !== this.#state.conflict || seen !== this.#state.conflict) {
        const taken = await this.#mergeFile();
        const reported = taken.ok ? await this.#alignReport() : taken;
        return reported.ok ? err(refusal("FILE_CHANGED", { path: this.path }, changedAgainWords)) : reported;
      }
      const decided = await this.#keep(author, keep, { now: now.value, file: file.value });
      if (!decided.ok) return decided;
      const reported = await this.#reportConflict(author, null);
      return reported.ok ? this.#flush(1) : reported;
    });
  }

  /** Returns the file's text while it is in conflict; a file that has changed since is merged, or reported, first. */
  conflictingText(): Promise<Result<{ readonly theirs: string; readonly hash: FileHash }, Refusal>> {
    return this.#queue.run(async () => {
      const merged = await this.#mergeFile();
      if (!merged.ok) return merged;
      const file = await this.#ports.tree.read(this.path);
      if (!file.ok) return file;
      if (this.#state.conflict === null || file.value === null)
        return err(refusal("CONFLICT", { path: this.path, conflict: false }));
      const theirs = textOf(file.value);
      return theirs.ok ? ok({ theirs: theirs.value, hash: file.value.hash }) : theirs;
    });
  }

  async #keep(
    author: Author,
    keep: KeptSide,
    { now, file }: { readonly now: BlockReading; readonly file: FileContent },
  ): Promise<Result<void, Refusal>> {
    const theirs = textOf(file);
    if (keep === "ours") return this.#merged(file, theirs.ok ? theirs.value : null);
    if (!theirs.ok) return theirs;
    const base = keep === "both" ? await this.#base(theirs.value) : null;
    const wanted = keep === "both" ? unionMerge(base?.text ?? null, now.text, theirs.value) : theirs.value;
    return this.#mergeBy(
      { changes: diffChanges(now.text, wanted), at: now.textVersion },
      { author, file, theirs: theirs.value },
    );
  }

  async #mergeFile(): Promise<Result<void, Refusal>> {
    const read = await this.#ports.tree.read(this.path);
    if (!read.ok) return read;
    if (read.value === null && (await followRename(this.#placed, this.#inode))) return ok(undefined);
    this.#inode = read.value?.inode ?? null;
    const { hasConflict } = this;
    const taken = await this.#mergeRead(read.value);
    if (!taken.ok || (this.#isReported && hasConflict === this.hasConflict)) return taken;
    const aligned = await this.#alignReport();
    this.#isReported ||= aligned.ok;
    return aligned;
  }

  async #mergeRead(file: FileContent | null): Promise<Result<void, Refusal>> {
    if (this.isBinary) return noteBinary(this.#placed, file);
    const hash = file?.hash ?? null;
    const { writing, conflict } = this.#state;
    const isEmptied = file?.bytes.length === 0 && hash !== this.#state.hash;
    if (!isEmptied) this.#emptySince = null;
    else {
      const now = this.#ports.clock.monotonic();
      this.#emptySince ??= now;
      if (now - this.#emptySince < emptyMs) return err(refusal("FILE_CHANGED", { path: this.path }, justEmptiedWords));
    }
    if (hash !== null && hash === conflict) return ok(undefined);
    if (hash === this.#state.hash) {
      return conflict === null && writing === null ? ok(undefined) : this.#put({ writing: null, conflict: null });
    }
    // A crash, or a disk that failed, left our own write half done.
    if (writing !== null && writing.hash === hash) return this.#wrote(writing.version, hash);
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    const own = sha256Hex(now.value.text);
    if (file === null) {
      // A file that another program deleted is not written back for text that was already there; the next edit creates the
      // file again, and so does an edit that is not written yet. If the file comes back, that edit is merged with it.
      if (own !== this.#state.hash) return this.#put({ hash: null, writing: null, conflict: null });
      return this.#agree(now.value.header.version, null);
    }
    if (own === hash) return this.#agree(now.value.header.version, hash);
    const theirs = textOf(file);
    if (!theirs.ok) return this.#conflict(file, []);
    return this.#merge(now.value, file, theirs.value);
  }

  async #merge(now: BlockReading, file: FileContent, theirs: string): Promise<Result<void, Refusal>> {
    const author = await this.#ports.outsider(`outside/${file.hash.slice(0, 16)}`);
    const seen = this.#ports.seen(this.path, theirs);
    if (seen !== null && seen !== now.text) return this.#mergeSeen({ now, file, theirs, seen, author });
    if (now.header.version === this.#state.version && !this.#state.merged) {
      const edit = { changes: diffChanges(now.text, theirs), at: now.textVersion };
      return this.#mergeBy(edit, { author, file, theirs, before: now.text });
    }
    const base = await this.#base(theirs);
    const verdict = base === null ? null : threeWay(base.text, now.text, theirs);
    if (base === null || verdict === null) return this.#conflict(file, []);
    if (verdict.type === "conflict") return this.#conflict(file, verdict.lines);
    const { textVersion } = base;
    const edit =
      textVersion === null
        ? { changes: diffChanges(now.text, unionMerge(base.text, now.text, theirs)), at: now.textVersion }
        : { changes: verdict.changes, at: textVersion };
    const merged =
      verdict.changes.length === 0
        ? await this.#merged(file, theirs)
        : await this.#mergeBy(edit, { author, file, theirs });
    return merged.ok ? this.#flush(attemptsMax) : merged;
  }

  /** Merges what an author wrote who had seen an older text than the file had. */
  async #mergeSeen({ now, file, theirs, seen, author }: SeenMerge): Promise<Result<void, Refusal>> {
    const text = mergedWith(seen, now.text, theirs);
    if (text === null) {
      const verdict = threeWay(seen, now.text, theirs);
      return this.#conflict(file, verdict.type === "conflict" ? verdict.lines : []);
    }
    const edit = { changes: diffChanges(now.text, text), at: now.textVersion };
    const merged = await this.#mergeBy(edit, { author, file, theirs });
    return merged.ok ? this.#flush(attemptsMax) : merged;
  }

  /**
   * Edits the block and records in the same commit that it has the file's text: after a stop in between, the file's change
   * would be merged twice.
   */
  async #mergeBy(edit: EditPlan, { author, file, theirs, before }: FileMerge): Promise<Result<void, Refusal>> {
    let isAlone = false;
    // Where an edit came in between, no version of the block equals the file's text.
    const took = (version: number): Partial<FileState> =>
      isAlone ? agreed(version, file.hash) : mergedInto(file.hash);
    const states: FileState[] = [];
    const plan: Planner = ({ text }) => {
      isAlone = text === before;
      return ok(edit);
    };
    const edited = await this.#ports.hub.editor.editWith(author, this.id, plan, {
      also: (version) => {
        const state = { ...this.#state, path: this.path, ...took(version) };
        states.push(state);
        return [putFileState(this.id, state)];
      },
    });
    if (!edited.ok) return edited;
    const state = states.at(-1);
    this.#mergedText = { hash: file.hash, text: theirs };
    if (state === undefined) return this.#put(took(edited.value.version));
    this.#adopt(state);
    return ok(undefined);
  }

  #base(theirs: string): Promise<Base | null> {
    return fileBase(
      { id: this.id, reader: this.#ports.hub.reader, state: this.#state, mergedText: this.#mergedText },
      theirs,
    );
  }

  async #flush(attempt: number): Promise<Result<void, Refusal>> {
    // Whether the last write took place is found out before another one is begun.
    const settled = this.#state.writing === null ? ok(undefined) : await this.#mergeFile();
    if (!settled.ok) return settled;
    if (this.#state.conflict !== null) return ok(undefined);
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    const { header, text } = now.value;
    if (!this.isDirty(header.version)) return ok(undefined);
    if (this.isBinary) return writeBinary(this.#placed, header.version);
    // A file with NUL could not be opened as a document, and changes to it could not be merged.
    if (text.includes("\0")) return err(refusal("FILE_NOT_TEXT", { path: this.path }, holdsNulWords));
    const bytes = new TextEncoder().encode(text);
    const hash = sha256Hex(text);
    if (hash === this.#state.hash) return this.#agree(header.version, hash);
    const intent = await this.#put({ ...this.#state, writing: { version: header.version, hash } });
    if (!intent.ok) return intent;
    const written = await this.#ports.tree.replace(this.path, bytes, this.#state.hash, this.#state.mode ?? undefined);
    if (written.ok) return this.#wrote(header.version, written.value);
    if (written.error.code !== "FILE_CHANGED") return written;
    // This write has certainly not taken place.
    const refused = await this.#put({ writing: null });
    if (!refused.ok || attempt >= attemptsMax) return refused.ok ? written : refused;
    const taken = await this.#mergeFile();
    return taken.ok ? this.#flush(attempt + 1) : taken;
  }

  async #conflict(file: FileContent, lines: readonly { start: number; end: number }[]): Promise<Result<void, Refusal>> {
    const noted = await this.#put({ conflict: file.hash });
    if (!noted.ok) return noted;
    this.#ports.logger.warn("file-conflict", { path: this.path });
    const author = await this.#ports.outsider(`conflict/${file.hash.slice(0, 16)}`);
    return this.#reportConflict(author, { lines: lines.slice(0, 100), hash: file.hash });
  }

  /** Records in the block's metadata where the file was changed in another way, and the hash of its content. */
  async #reportConflict(
    author: Author,
    reported: { readonly lines: readonly { start: number; end: number }[]; readonly hash: FileHash } | null,
  ): Promise<Result<void, Refusal>> {
    const conflict = reported && {
      hash: reported.hash,
      lines: reported.lines.map(({ start, end }) => ({ start, end })),
    };
    const updated = await this.#ports.hub.editor.update(author, this.id, { metadata: { conflict } });
    return updated.ok ? ok(undefined) : updated;
  }

  /**
   * Makes the report what the state is: a stop may have come between the two, and an earlier version of Heddle reported
   * without the hash, without which nobody could resolve the conflict.
   */
  async #alignReport(): Promise<Result<void, Refusal>> {
    const hash = this.#state.conflict;
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    const { conflict } = now.value.header.metadata;
    const reported = isJsonObject(conflict) ? (conflict["hash"] ?? "") : null;
    if (reported === hash) return ok(undefined);
    const author = await this.#ports.outsider(`conflict/${hash?.slice(0, 16) ?? `over/${this.#state.version}`}`);
    return this.#reportConflict(author, hash === null ? null : { lines: [], hash });
  }

  /** Records that the block has merged this content and has text that is not written yet. `text` null: none. */
  #merged({ hash }: FileContent, text: string | null): Promise<Result<void, Refusal>> {
    this.#mergedText = text === null ? null : { hash, text };
    return this.#put(mergedInto(hash));
  }

  #agree(version: number, hash: string | null): Promise<Result<void, Refusal>> {
    return this.#put(agreed(version, hash));
  }

  #wrote(version: number, hash: FileHash): Promise<Result<void, Refusal>> {
    return this.#put({ ...agreed(version, hash), written: true });
  }

  async #put(change: Partial<FileState>): Promise<Result<void, Refusal>> {
    const state = { ...this.#state, path: this.path, ...change };
    const put = await this.#ports.store.commit([putFileState(this.id, state)]);
    if (!put.ok) return err(notStored(put.error));
    this.#adopt(state);
    return ok(undefined);
  }

  #adopt(state: FileState): void {
    this.#state = state;
    if (!state.merged) this.#mergedText = null;
  }
}

/** Returns a file's text; FILE_NOT_TEXT where it is not text. A byte order mark stays as the first character. */
export function textOf({ bytes }: FileContent): Result<string, Refusal> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? err(refusal("FILE_NOT_TEXT")) : ok(text);
  } catch {
    return err(refusal("FILE_NOT_TEXT"));
  }
}
