import { ChangeSet, Text } from "@codemirror/state";
import type { Result } from "../../../src/core/base/result.ts";
import { diffChanges } from "../../../src/core/block/change/diff-changes.ts";
import type { CommandAnswer, CommandParams } from "../../../src/core/protocol/commands.ts";
import type { DraftId } from "../../../src/core/base/ids.ts";
import { isRecord, Stored } from "../browser/stored.ts";
import { carriedPast, changeSet, textChanges } from "../editor/base/edit-changes.ts";

type Write = Pick<CommandParams<"draft.write">, "baseHash" | "base" | "takesOver"> & {
  readonly changes: { readonly from: number; readonly to: number; readonly insert: string }[];
};
type Refused = { readonly code: string; readonly message: string };

export interface DraftSyncPorts {
  readonly write: (wish: Write) => Promise<Result<CommandAnswer<"draft.write">, Refused>>;
  readonly read: () => Promise<Result<{ readonly text: string; readonly hash: string }, Refused>>;
  /** Puts what others wrote into the editor. */
  readonly draw: (changes: ChangeSet) => void;
  /** Takes what was typed and is not in the draft yet, a moment after each change of it; null: nothing. */
  readonly keep: (unsent: UnsentWrite | null) => void;
  /** Called when words are refused, and with null once they are accepted; the words stay in the editor. */
  readonly refused: (refused: Refused | null) => void;
  readonly setTimer: (ms: number, run: () => void) => () => void;
}

/** What was typed in a draft and is not in it, as far as its page knew. */
export interface UnsentWrite {
  /** A text that the server had. */
  readonly base: string;
  readonly baseHash: string;
  /** What was being sent, of that text; null: nothing. */
  readonly sent: Write["changes"] | null;
  /** What was typed since, of the text with what was being sent. */
  readonly typed: Write["changes"];
}

/** A text that the server has or had, and what is typed in it. */
export interface DraftStart {
  readonly text: string;
  readonly hash: string;
  readonly typed: ChangeSet;
}

/** Goes on with the words of an earlier page: what it was sending may have arrived, although its answer never did. */
export function goingOn(unsent: UnsentWrite, now: { readonly text: string; readonly hash: string }): DraftStart {
  const { base: text, baseHash: hash, sent } = unsent;
  const typedIn = (length: number): ChangeSet => changeSet(unsent.typed, length);
  if (sent === null) return { text, hash, typed: typedIn(text.length) };
  const sending = changeSet(sent, text.length);
  const mine = sending.apply(textOf(text)).toString();
  const isThere = distance(mine, now.text) < distance(text, now.text);
  if (!isThere) return { text, hash, typed: sending.compose(typedIn(mine.length)) };
  return { text: mine, hash: mine === now.text ? now.hash : hash, typed: typedIn(mine.length) };
}

/** How much differs between two texts. UTF-16 units. */
function distance(one: string, other: string): number {
  return diffChanges(one, other).reduce((sum, { from, to, insert }) => sum + insert.length + (to - from), 0);
}

/** How long typing is gathered before it is sent. Milliseconds. */
const gatherMs = 300;

/**
 * Keeps an editor and a draft on the server alike: what is typed is sent as changes of the text that the server had last, and
 * what others wrote is merged with what is not sent yet.
 */
export class DraftSync {
  readonly #ports: DraftSyncPorts;
  /** The draft as the server had it last. */
  #base: { readonly text: string; readonly hash: string };
  /** From that text to what is being sent, and from there to the editor's text. */
  #sent: ChangeSet | null = null;
  #typed: ChangeSet;
  #cancelTimer: (() => void) | null = null;
  #takesOver = false;
  #isStale = false;
  #isReading = false;
  #isClosed = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(base: { readonly text: string; readonly hash: string }, ports: DraftSyncPorts) {
    this.#base = base;
    this.#ports = ports;
    this.#typed = ChangeSet.empty(base.text.length);
  }

  /** Whether everything that was typed is in the draft. */
  get isSaved(): boolean {
    return this.#sent === null && this.#typed.empty;
  }

  /** The text with everything that was typed. */
  get text(): string {
    const { text } = this.#base;
    const all = this.#sent === null ? this.#typed : this.#sent.compose(this.#typed);
    return all.apply(textOf(text)).toString();
  }

  /** Takes what a person typed in the editor. */
  typed(changes: ChangeSet): void {
    this.#typed = this.#typed.compose(changes);
    this.#cancelTimer ??= this.#ports.setTimer(gatherMs, () => {
      this.#cancelTimer = null;
      this.#keep();
      void this.#send();
    });
  }

  /** Writes although another person does. */
  takeOver(): void {
    this.#takesOver = true;
    void this.#send();
  }

  /** The draft or the text below it has changed: reads it, unless an answer that is on its way says it. */
  changed(): void {
    this.#isStale = true;
    void this.#read();
  }

  /** Sends what is left; returns whether all of it is in the draft then. */
  async flush(): Promise<boolean> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    await this.#sending;
    await this.#send();
    return this.isSaved;
  }

  /** Ends with the editor; what is left is sent. */
  close(): void {
    this.#isClosed = true;
    this.#keep();
    void this.flush();
  }

  #send(): Promise<void> {
    if (this.#sent !== null || this.#typed.empty) return this.#sending;
    this.#sending = this.#write();
    return this.#sending;
  }

  async #write(): Promise<void> {
    const sent = this.#typed;
    this.#sent = sent;
    this.#typed = ChangeSet.empty(sent.newLength);
    const changes = textChanges(sent).map((change) => ({ ...change }));
    const { text, hash } = this.#base;
    const takesOver = this.#takesOver ? { takesOver: true } : {};
    let written = await this.#ports.write({ baseHash: hash, changes, ...takesOver });
    // Others wrote in the draft or below it: the server merges with the text that was typed in.
    if (!written.ok && written.error.code === "CONFLICT")
      written = await this.#ports.write({ baseHash: hash, base: text, changes, ...takesOver });
    this.#takesOver = false;
    this.#sent = null;
    if (!written.ok) {
      this.#typed = sent.compose(this.#typed);
      return this.#ports.refused(written.error);
    }
    this.#ports.refused(null);
    const mine = sent.apply(textOf(text)).toString();
    this.#become(mine, { text: written.value.text ?? mine, hash: written.value.hash });
    this.#keep();
    // What was typed meanwhile, unless it is still being gathered.
    if (this.#cancelTimer === null) void this.#send();
    if (this.#isStale) void this.#read();
  }

  async #read(): Promise<void> {
    if (this.#sent !== null || this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    this.#isStale = false;
    const read = await this.#ports.read();
    this.#isReading = false;
    // What is on its way is merged with what was read by the server.
    if (this.#sent === null && read.ok) {
      this.#become(this.#base.text, read.value);
      this.#keep();
    }
    if (this.#isStale) void this.#read();
  }

  #keep(): void {
    const { text: base, hash: baseHash } = this.#base;
    const plain = (changes: ChangeSet) => textChanges(changes).map((change) => ({ ...change }));
    const sent = this.#sent === null ? null : plain(this.#sent);
    this.#ports.keep(this.isSaved ? null : { base, baseHash, sent, typed: plain(this.#typed) });
  }

  /** Carries the editor from a text to the draft's, and what is not sent yet along. */
  #become(from: string, base: { readonly text: string; readonly hash: string }): void {
    this.#base = base;
    if (from === base.text) return;
    const came = changeSet(diffChanges(from, base.text), from.length);
    const carried = carriedPast(this.#typed, came);
    this.#typed = carried.typed;
    this.#ports.draw(carried.came);
  }
}

/** What was typed in a draft and is not in it, kept in the browser until it is; null for nothing. */
export function unsentWrite(draftId: DraftId): Stored<UnsentWrite | null> {
  return new Stored(`draft-write.${draftId}`, readWrite, null);
}

function readWrite(value: unknown): UnsentWrite | undefined {
  if (!isRecord(value)) return undefined;
  const { base, baseHash, sent, typed } = value;
  if (typeof base !== "string" || typeof baseHash !== "string") return undefined;
  if (!areChanges(typed) || !(sent === null || areChanges(sent))) return undefined;
  const grown = (sent ?? []).reduce(
    (length, { from, to, insert }) => length + insert.length - (to - from),
    base.length,
  );
  const fits = isWithin(sent ?? [], base.length) && isWithin(typed, grown);
  return fits ? { base, baseHash, sent, typed } : undefined;
}

type Changes = UnsentWrite["typed"];

function areChanges(value: unknown): value is Changes {
  return Array.isArray(value) && value.every(isChange);
}

function isChange(value: unknown): value is Changes[number] {
  return (
    isRecord(value) &&
    typeof value["from"] === "number" &&
    typeof value["to"] === "number" &&
    typeof value["insert"] === "string"
  );
}

/** Whether changes are of a text of this length, in order. */
function isWithin(changes: Changes, length: number): boolean {
  let at = 0;
  return changes.every(({ from, to }) => {
    const fits = from >= at && to >= from && to <= length;
    at = to;
    return fits;
  });
}

function textOf(text: string): Text {
  return Text.of(text.split("\n"));
}
