import type { BlockId } from "../core/base/ids.ts";
import type { DownMessage, UpMessage } from "../core/protocol/messages.ts";
import type { TextChange } from "../core/text/types.ts";
import { createCell, type Batch } from "./observable.ts";
import { mapOffset } from "./text-mapping.ts";
import type { ClientPlatform, Observable, PresenceView } from "./types.ts";

type Selection = PresenceView["selection"];

/** The shortest time between two messages about our own selection. */
const throttleMs = 50;

/** Where others are in a text, and telling them where we are. */
export interface PresenceTrack {
  readonly others: Observable<readonly PresenceView[]>;
  setOwn(selection: Selection): void;
  take(message: Extract<DownMessage, { type: "presence" }>, length: number): void;
  /** Moves everybody's selection along with a change of the text. */
  map(changes: readonly TextChange[]): void;
  clear(): void;
  resend(): void;
  dispose(): void;
}

export function trackPresence(options: {
  readonly blockId: BlockId;
  readonly batch: Batch;
  readonly platform: ClientPlatform;
  send(message: UpMessage): void;
}): PresenceTrack {
  const others = createCell<readonly PresenceView[]>([], options.batch);
  let own: Selection = null;
  let told: Selection = null;
  let cancelTimer: (() => void) | null = null;

  function tell(): void {
    told = own;
    options.send({ type: "presence", blockId: options.blockId, selection: own });
    cancelTimer = options.platform.setTimer(throttleMs, () => {
      cancelTimer = null;
      if (!same(own, told)) tell();
    });
  }

  return {
    others,
    setOwn(selection) {
      own = selection;
      if (cancelTimer === null && !same(own, told)) tell();
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
      told = null;
    },
    resend() {
      if (own === null) return;
      if (cancelTimer === null) tell();
      else told = null;
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
