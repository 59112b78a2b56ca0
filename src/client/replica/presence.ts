import type { BlockId } from "../../core/base/ids.ts";
import type { DownMessage, UpMessage } from "../../core/protocol/base/messages.ts";
import type { TextChange } from "../../core/text/types.ts";
import { createCell, type Batch } from "../base/observable.ts";
import { mapOffset } from "./text-mapping.ts";
import type { ClientPlatform, Observable, PresenceView } from "../base/types.ts";

type Selection = PresenceView["selection"];

/** The shortest time between two messages about this page's selection. */
const throttleMs = 50;

/** The selections of the other connections in a text, and the sending of this page's own. */
export interface PresenceTrack {
  readonly others: Observable<readonly PresenceView[]>;
  /** Sends this page's selection, throttled: the last one always goes out. */
  setOwn(selection: Selection): void;
  /** Takes the selection of another connection, clamped to a text of `length` units. */
  take(message: Extract<DownMessage, { type: "presence" }>, length: number): void;
  /** Moves the others' selections along with a change of the text. */
  map(changes: readonly TextChange[]): void;
  /** Forgets the others' selections: the connection is lost. */
  clear(): void;
  /** Sends this page's selection again, if there is one. */
  resend(): void;
  dispose(): void;
}

/** Tracks presence in one block. */
export function trackPresence(options: {
  readonly blockId: BlockId;
  readonly batch: Batch;
  readonly platform: ClientPlatform;
  send(message: UpMessage): void;
}): PresenceTrack {
  const others = createCell<readonly PresenceView[]>([], options.batch);
  let own: Selection = null;
  let sent: Selection = null;
  let cancelTimer: (() => void) | null = null;

  function send(): void {
    sent = own;
    options.send({ type: "presence", blockId: options.blockId, selection: own });
    cancelTimer = options.platform.setTimer(throttleMs, () => {
      cancelTimer = null;
      if (!same(own, sent)) send();
    });
  }

  return {
    others,
    setOwn(selection) {
      own = selection;
      if (cancelTimer === null && !same(own, sent)) send();
    },
    take({ clientId, actor, selection }, length) {
      const rest = others.get().filter((other) => other.clientId !== clientId);
      const clamped =
        selection === null
          ? null
          : { anchor: Math.min(selection.anchor, length), head: Math.min(selection.head, length) };
      if (clamped === null && rest.length === others.get().length) return;
      others.set(clamped === null ? rest : [...rest, { clientId, actor, selection: clamped }]);
    },
    map(changes) {
      if (changes.length === 0 || others.get().length === 0) return;
      others.set(others.get().map((other) => ({ ...other, selection: moved(other.selection, changes) })));
    },
    clear() {
      if (others.get().length > 0) others.set([]);
      sent = null;
    },
    resend() {
      if (own === null) return;
      if (cancelTimer === null) send();
      else sent = null;
    },
    dispose() {
      cancelTimer?.();
      cancelTimer = null;
    },
  };
}

function moved(selection: Selection, changes: readonly TextChange[]): Selection {
  if (selection === null) return null;
  return {
    anchor: mapOffset(selection.anchor, changes, "before"),
    head: mapOffset(selection.head, changes, "before"),
  };
}

function same(a: Selection, b: Selection): boolean {
  return a === b || (a !== null && b !== null && a.anchor === b.anchor && a.head === b.head);
}
