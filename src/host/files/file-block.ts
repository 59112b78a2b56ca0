import { refusal, type Refusal } from "../../core/base/errors.ts";
import { isJsonObject } from "../../core/base/json.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { diffChanges } from "../../core/block/change/diff-changes.ts";
import { threeWay } from "../../core/block/change/three-way.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { unionMerge } from "../../core/block/change/union-merge.ts";
import type { KeptSide } from "../../core/protocol/commands.ts";
import type { FileContent, FileHash, FileTree } from "../../core/port/file-tree.ts";
import type { Clock, Logger } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Author, BlockReading } from "../document/record/types.ts";
import { notStored } from "../base/store-refusal.ts";
import { fileStateOf, putFileState, type FileState } from "./file-state.ts";

export interface FileBlockPorts {
  readonly tree: FileTree;
  readonly hub: Pick<DocumentHub, "reader" | "editor" | "deletion">;
  readonly store: Store;
  readonly logger: Logger;
  readonly clock: Pick<Clock, "monotonic">;
  /** Who takes in what another program wrote. `change` names the unit. */
  outsider(change: string): Promise<Author>;
}

const dayMs = 24 * 60 * 60 * 1000;

/** How often a file is tried that another program writes as well. */
const attemptsMax = 3;

/** A text that both sides of a merge come from, and the version that has it; null where no version of the block does. */
type Base = Pick<BlockReading, "text"> & { readonly textVersion: BlockReading["textVersion"] | null };

/** How long a file must have been empty until that is taken for its content. Milliseconds. */
const emptyMs = 5_000;

const justEmptiedWords =
  "Another program has just emptied the file, as one does that is about to write it; it is looked at again in a moment.";

const holdsNulWords =
  "The text holds a NUL sign, with which the file would be no text; it is written when the sign is gone.";

const changedAgainWords =
  "Another program changed the file again after the conflict was told; nothing was done. Look at what it is now, then decide.";

/**
 * One file block and its file. Whatever is done about the two happens here, one after the other: what was changed on
 * disk is taken in, what was changed in the block is written, and neither overwrites the other.
 */
export class FileBlock {
  readonly path: FilePath;
  readonly id: BlockId;
  readonly #ports: FileBlockPorts;
  readonly #queue = new SerialQueue();
  #state: FileState;
  /** The file's text that was merged and is in no version of the block; gone after a restart. */
  #mergedText: { readonly hash: FileHash; readonly text: string } | null = null;

  /** Since when the file has been seen to be empty, where the block is not; monotonic. */
  #emptySince: number | null = null;

  private constructor(path: FilePath, id: BlockId, ports: FileBlockPorts, state: FileState) {
    this.path = path;
    this.id = id;
    this.#ports = ports;
    this.#state = state;
  }

  static async of(path: FilePath, id: BlockId, ports: FileBlockPorts): Promise<FileBlock> {
    return new FileBlock(path, id, ports, await fileStateOf(ports.store, id));
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

  /** Notes that the block was made from this content. */
  made(version: number, { hash }: FileContent): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#put({ version, hash, merged: false, writing: null, conflict: null }));
  }

  /** Notes that somebody asked for the file. */
  opened(now: number): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () =>
      now - this.#state.openedAt < dayMs ? ok(undefined) : this.#put({ ...this.#state, openedAt: now }),
    );
  }

  /** Whether the block has had no use since then, and its file has all of it. */
  isSpare({ version, updatedAt }: BlockHeader, since: number): boolean {
    const { openedAt, conflict, hash } = this.#state;
    return updatedAt < since && openedAt < since && conflict === null && hash !== null && !this.isDirty(version);
  }

  /** Lets go of the block where the file has all of it: whoever opens the file again gets another block. */
  evict(since: number): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      const [now, file] = [await this.#ports.hub.reader.read(this.id), await this.#ports.tree.read(this.path)];
      if (!now.ok) return now;
      if (!file.ok) return file;
      const { header, text } = now.value;
      const hash = file.value?.hash ?? null;
      if (!this.isSpare(header, since) || hash !== this.#state.hash || hash !== sha256Hex(text)) return ok(undefined);
      const author = await this.#ports.outsider(`spare/${hash.slice(0, 16)}`);
      return this.#ports.hub.deletion.evict(author, this.id, header.version);
    });
  }

  /** Brings in what another program has written; nothing where the file is as it was left. */
  takeIn(): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => {
      this.#emptySince = -Infinity;
      return this.#takeIn();
    });
  }

  /**
   * The same, but a file that has just become empty is left alone for a while, with FILE_CHANGED: were it taken in and
   * written, whoever emptied it would write on into a file that is no longer there.
   */
  takeInPatiently(): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#takeIn());
  }

  /** Writes the block to its file, where it has changed. Waits with it while there is a conflict. */
  flush(): Promise<Result<void, Refusal>> {
    return this.#queue.run(() => this.#flush(1));
  }

  /**
   * Ends a conflict as a person decides. What of the block is not kept can be had back, by undo or from its history; what
   * of the file is not kept is gone. FILE_CHANGED, and nothing is lost, where the file is not the one that was decided
   * about (`seen`, which the conflict was told with): what it is now is taken in or told as a conflict first.
   */
  resolve(author: Author, keep: KeptSide, seen: FileHash): Promise<Result<void, Refusal>> {
    return this.#queue.run(async () => {
      if (this.#state.conflict === null) return err(refusal("CONFLICT", { path: this.path, conflict: false }));
      const [now, file] = [await this.#ports.hub.reader.read(this.id), await this.#ports.tree.read(this.path)];
      if (!now.ok) return now;
      if (!file.ok) return file;
      if (file.value === null || file.value.hash !== this.#state.conflict || seen !== this.#state.conflict) {
        const taken = await this.#takeIn();
        const told = taken.ok ? await this.#tellHash() : taken;
        return told.ok ? err(refusal("FILE_CHANGED", { path: this.path }, changedAgainWords)) : told;
      }
      const decided = await this.#keep(author, keep, { now: now.value, file: file.value });
      if (!decided.ok) return decided;
      const told = await this.#tellConflict(author, null);
      return told.ok ? this.#flush(1) : told;
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
    const base = keep === "both" ? await this.#base() : null;
    const wanted = keep === "both" ? unionMerge(base?.text ?? null, now.text, theirs.value) : theirs.value;
    const edited = await this.#ports.hub.editor.edit(author, this.id, {
      changes: diffChanges(now.text, wanted),
      at: now.textVersion,
    });
    return edited.ok ? this.#merged(file, theirs.value) : edited;
  }

  async #takeIn(): Promise<Result<void, Refusal>> {
    const read = await this.#ports.tree.read(this.path);
    if (!read.ok) return read;
    const { hasConflict } = this;
    const taken = await this.#takeInRead(read.value);
    if (!taken.ok || !hasConflict || this.hasConflict) return taken;
    return this.#tellConflict(await this.#ports.outsider(`conflict-over/${this.#state.version}`), null);
  }

  async #takeInRead(file: FileContent | null): Promise<Result<void, Refusal>> {
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
      return conflict === null ? ok(undefined) : this.#put({ ...this.#state, conflict: null });
    }
    // What a crash left half way was our own doing.
    if (writing !== null && writing.hash === hash) return this.#wrote(writing.version, hash);
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    const own = sha256Hex(now.value.text);
    if (file === null) {
      // Nobody else's edit is put back on disk that somebody took away there: the next edit makes the file again, and so
      // does one that is not written yet. The file may be back in a moment: then that edit is merged with it.
      if (own !== this.#state.hash) return this.#put({ ...this.#state, hash: null, writing: null, conflict: null });
      return this.#agree(now.value.header.version, null);
    }
    if (own === hash) return this.#agree(now.value.header.version, hash);
    const theirs = textOf(file);
    if (!theirs.ok) return this.#conflict(file, []);
    return this.#merge(now.value, file, theirs.value);
  }

  async #merge(now: BlockReading, file: FileContent, theirs: string): Promise<Result<void, Refusal>> {
    const author = await this.#ports.outsider(`outside/${file.hash.slice(0, 16)}`);
    if (now.header.version === this.#state.version && !this.#state.merged) {
      const edited = await this.#ports.hub.editor.edit(author, this.id, {
        changes: diffChanges(now.text, theirs),
        at: now.textVersion,
      });
      if (!edited.ok) return edited;
      // Somebody may have typed meanwhile: then this is no version of the block.
      const { version, text } = edited.value;
      if (text === theirs) return this.#agree(version, file.hash);
      return this.#merged(file, theirs);
    }
    const base = await this.#base();
    const verdict = base === null ? null : threeWay(base.text, now.text, theirs);
    if (base === null || verdict === null) return this.#conflict(file, []);
    if (verdict.type === "conflict") return this.#conflict(file, verdict.lines);
    if (verdict.changes.length > 0) {
      const { textVersion } = base;
      const edit =
        textVersion === null
          ? { changes: diffChanges(now.text, unionMerge(base.text, now.text, theirs)), at: now.textVersion }
          : { changes: verdict.changes, at: textVersion };
      const edited = await this.#ports.hub.editor.edit(author, this.id, edit);
      if (!edited.ok) return edited;
    }
    const merged = await this.#merged(file, theirs);
    return merged.ok ? this.#flush(attemptsMax) : merged;
  }

  /** The file as it last was; null where that is not known. */
  async #base(): Promise<Base | null> {
    const { version, hash, merged } = this.#state;
    if (merged && this.#mergedText?.hash === hash) return { text: this.#mergedText.text, textVersion: null };
    if (version === 0 || merged) return null;
    const base = await this.#ports.hub.reader.readAt(this.id, version);
    return base.ok && (hash === null || sha256Hex(base.value.text) === hash) ? base.value : null;
  }

  async #flush(attempt: number): Promise<Result<void, Refusal>> {
    if (this.#state.conflict !== null) return ok(undefined);
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    const { header, text } = now.value;
    if (!this.isDirty(header.version)) return ok(undefined);
    // It would be a file that nobody could open, and whose changes nobody could take in.
    if (text.includes("\0")) return err(refusal("FILE_NOT_TEXT", { path: this.path }, holdsNulWords));
    const bytes = new TextEncoder().encode(text);
    const hash = sha256Hex(text);
    if (hash === this.#state.hash) return this.#agree(header.version, hash);
    const intent = await this.#put({ ...this.#state, writing: { version: header.version, hash } });
    if (!intent.ok) return intent;
    const written = await this.#ports.tree.replace(this.path, bytes, this.#state.hash);
    if (written.ok) return this.#wrote(header.version, written.value);
    if (written.error.code !== "FILE_CHANGED" || attempt >= attemptsMax) return written;
    const taken = await this.#takeIn();
    return taken.ok ? this.#flush(attempt + 1) : taken;
  }

  async #conflict(file: FileContent, lines: readonly { start: number; end: number }[]): Promise<Result<void, Refusal>> {
    const noted = await this.#put({ ...this.#state, writing: null, conflict: file.hash });
    if (!noted.ok) return noted;
    this.#ports.logger.warn("file-conflict", { path: this.path });
    const author = await this.#ports.outsider(`conflict/${file.hash.slice(0, 16)}`);
    return this.#tellConflict(author, { lines: lines.slice(0, 100), hash: file.hash });
  }

  /** Shows in the block's metadata where the file was changed in another way, and which content it has. */
  async #tellConflict(
    author: Author,
    told: { readonly lines: readonly { start: number; end: number }[]; readonly hash: FileHash } | null,
  ): Promise<Result<void, Refusal>> {
    const conflict = told && { hash: told.hash, lines: told.lines.map(({ start, end }) => ({ start, end })) };
    const updated = await this.#ports.hub.editor.update(author, this.id, { metadata: { conflict } });
    return updated.ok ? ok(undefined) : updated;
  }

  /** A conflict that was told without the file's hash, by an earlier version, could not be decided about. */
  async #tellHash(): Promise<Result<void, Refusal>> {
    const hash = this.#state.conflict;
    const now = await this.#ports.hub.reader.read(this.id);
    if (!now.ok) return now;
    const { conflict } = now.value.header.metadata;
    if (hash === null || (isJsonObject(conflict) && conflict["hash"] === hash)) return ok(undefined);
    return this.#tellConflict(await this.#ports.outsider(`conflict/${hash.slice(0, 16)}`), { lines: [], hash });
  }

  /** Notes that the block has taken this content in, and has more that is not written. `text` null: it is none. */
  #merged({ hash }: FileContent, text: string | null): Promise<Result<void, Refusal>> {
    this.#mergedText = text === null ? null : { hash, text };
    return this.#put({ ...this.#state, hash, merged: true, writing: null, conflict: null });
  }

  #agree(version: number, hash: string | null): Promise<Result<void, Refusal>> {
    return this.#put({ version, hash, merged: false, writing: null, conflict: null });
  }

  #wrote(version: number, hash: FileHash): Promise<Result<void, Refusal>> {
    return this.#put({ version, hash, merged: false, writing: null, conflict: null, written: true });
  }

  async #put(change: Omit<FileState, "openedAt" | "written"> | FileState): Promise<Result<void, Refusal>> {
    const state = { ...this.#state, ...change };
    const put = await this.#ports.store.commit([putFileState(this.id, state)]);
    if (!put.ok) return err(notStored(put.error));
    this.#state = state;
    if (!state.merged) this.#mergedText = null;
    return ok(undefined);
  }
}

/** A file's text; FILE_NOT_TEXT where it is none. A mark of byte order stays the text's first sign. */
export function textOf({ bytes }: FileContent): Result<string, Refusal> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? err(refusal("FILE_NOT_TEXT")) : ok(text);
  } catch {
    return err(refusal("FILE_NOT_TEXT"));
  }
}
