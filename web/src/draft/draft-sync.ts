import { ChangeSet, Text } from "@codemirror/state";
import type { Result } from "../../../src/core/base/result.ts";
import { diffChanges } from "../../../src/core/block/change/diff-changes.ts";
import type { CommandAnswer, CommandParams } from "../../../src/core/protocol/commands.ts";
import { carriedPast, changeSet, textChanges } from "../editor/edit-changes.ts";

type Write = Pick<CommandParams<"draft.write">, "baseHash" | "base" | "takesOver"> & {
  readonly changes: { readonly from: number; readonly to: number; readonly insert: string }[];
};
type Refused = { readonly code: string; readonly message: string };

export interface DraftSyncPorts {
  readonly write: (wish: Write) => Promise<Result<CommandAnswer<"draft.write">, Refused>>;
  readonly read: () => Promise<Result<{ readonly text: string; readonly hash: string }, Refused>>;
  /** Puts what others wrote into the editor. */
  readonly draw: (changes: ChangeSet) => void;
  /** Called when words are refused, and with null once they are accepted; the words stay in the editor. */
  readonly refused: (refused: Refused | null) => void;
  readonly setTimer: (ms: number, run: () => void) => () => void;
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
    if (this.#sent === null && read.ok) this.#become(this.#base.text, read.value);
    if (this.#isStale) void this.#read();
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

function textOf(text: string): Text {
  return Text.of(text.split("\n"));
}
