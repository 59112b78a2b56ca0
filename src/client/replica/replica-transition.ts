import { assert } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { RequestId } from "../../core/base/ids.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { ReplicaId, TextChange } from "../../core/text/types.ts";
import { idsOf, pushUnitsMax, toSendAgain, withEdit, wordsIn, type PendingPush } from "./pending-edits.ts";
import { pushRetry, retriesWatch } from "../base/refused-edits.ts";
import type { ReplicaEffect, ReplicaEvent, ReplicaState, ReplicaStep, UndoHold } from "./replica-state.ts";

type StateOf<Type extends ReplicaState["type"]> = Extract<ReplicaState, { readonly type: Type }>;
type EventOf<Type extends ReplicaEvent["type"]> = Extract<ReplicaEvent, { readonly type: Type }>;
type Opening = StateOf<"opening">;
type Following = StateOf<"following">;
type Resyncing = StateOf<"resyncing">;
type Gone = StateOf<"gone">;

/** What each event does in one state. A row with a cell left out does not compile. */
type Row<State extends ReplicaState["type"]> = {
  readonly [Event in ReplicaEvent["type"]]: (state: StateOf<State>, event: EventOf<Event>) => ReplicaStep;
};

/** The damaged copy in a row from which on a person is shown INTERNAL, and the next one is requested after a delay. */
const damagedCopiesMax = 3;

/** A replica that is not connected yet. */
export const initialReplica: ReplicaState = { type: "connecting", hold: { type: "none" } };

/** Decides what one event does to a replica. Pure; throws only for a caller's mistake, such as an edit before there is a text. */
export function transition(state: ReplicaState, event: ReplicaEvent): ReplicaStep {
  return cell(state.type, event.type)(state, event);
}

/** Whether the next edit is sent by itself as soon as it is made. */
export function sendsAtOnce(state: ReplicaState): boolean {
  return state.type === "following" && state.pushes.length === 0 && !isHeld(state);
}

function cell<State extends ReplicaState["type"], Event extends ReplicaEvent["type"]>(
  state: State,
  event: Event,
): (state: StateOf<State>, event: EventOf<Event>) => ReplicaStep {
  const row: Row<State> = table[state];
  return row[event];
}

const wholeCopy: ReplicaEffect = { type: "watch", afterVersion: 0 };
const cut: readonly ReplicaEffect[] = [{ type: "cancel-retries" }, { type: "clear-presence" }];

/** The event comes too late or changes nothing. */
const ignored = (state: ReplicaState): ReplicaStep => step(state);

/** What every state but `closed` does alike. */
const always = {
  disconnected: (state: ReplicaState): ReplicaStep => step(state, ...cut),
  "watch-retry-due": (state: ReplicaState): ReplicaStep => step(state, wholeCopy),
  closed: (): ReplicaStep => step({ type: "closed" }, { type: "dispose" }),
} as const;

/** What a state without a text does with events of a text. */
const noText = {
  edited: (): ReplicaStep => {
    assert(false, "a text is edited after its first copy and before it is closed");
  },
  "change-received": ignored,
  "change-unreadable": ignored,
  "change-merged": ignored,
  "merge-refused": ignored,
  "push-confirmed": ignored,
  "push-refused": ignored,
  "push-retry-due": ignored,
} as const;

const connecting: Row<"connecting"> = {
  ...always,
  ...noText,
  connected: ({ hold }, { replicaId }) => step({ type: "opening", replicaId, hold, damaged: 0 }, wholeCopy),
  "undo-requested": (state) => step({ ...state, hold: undoing(state.hold, []) }),
  "undo-answered": (state) => step({ ...state, hold: { type: "none" } }),
  "copy-damaged": ignored,
  "copy-received": ignored,
  "copy-adopted": ignored,
  "watch-refused": ignored,
  "watch-retry-due": ignored,
};

const opening: Row<"opening"> = {
  ...always,
  ...noText,
  connected: (state, { replicaId }) => step({ ...state, replicaId }, wholeCopy),
  "undo-requested": (state) => step({ ...state, hold: undoing(state.hold, []) }),
  "undo-answered": (state) => step({ ...state, hold: { type: "none" } }),
  "copy-damaged": (state) => damagedAgain(state),
  "copy-received": (state, { copy }) => {
    const { replicaId } = state;
    return step(state, ...copyIsFine, { type: "adopt-copy", copy, pushes: [], formerId: replicaId, replicaId });
  },
  "copy-adopted": ({ replicaId, hold }, event) => adopted(replicaId, hold, event),
  "watch-refused": (state, { reason }) => {
    if (reason.code !== "BLOCK_NOT_FOUND") return step(state, ...watchRefused(reason));
    const { replicaId, hold } = state;
    return lose({ type: "gone", replicaId, nextReplicaId: replicaId, hold }, [], reason);
  },
};

const following: Row<"following"> = {
  ...always,
  connected: (state, { replicaId, restarted }) => {
    // A restarted server may have been restored: other changes under the same version numbers.
    if (replicaId !== state.replicaId || restarted) return resync(state, { nextReplicaId: replicaId });
    const watch: ReplicaEffect = { type: "watch", afterVersion: state.version };
    return followed([watch], send({ ...state, pushes: toSendAgain(state.pushes) }), [sendSelection]);
  },
  edited: (state, event) => {
    const { state: edited, effects } = withEdited(state, event);
    const notify: ReplicaEffect = { type: "notify", changes: event.delta, origin: { type: "local" } };
    return event.more ? step(edited, ...effects, notify) : followed(effects, send(edited), [notify]);
  },
  "undo-requested": (state) => {
    const { pushes, effects } = closeOpen(state.pushes);
    return followed(effects, send({ ...state, pushes, hold: undoing(state.hold, idsOf(pushes)) }));
  },
  "undo-answered": (state, { version }) => send({ ...state, hold: answered(state.hold, version) }),
  "copy-damaged": (state) => damagedAgain({ ...resyncing(state), damaged: 0 }),
  "copy-received": (state, { copy }) => adopt(state, copy, state.replicaId),
  "copy-adopted": (state, event) => adopted(state.replicaId, state.hold, event),
  "change-received": (state, { change }) => {
    if (change.version <= state.version) return step(state);
    if (change.version > state.version + 1) return resync(state);
    return take(state, change);
  },
  "change-unreadable": (state) => resync(state),
  "change-merged": (state, { change, delta }) => {
    const notify: ReplicaEffect = { type: "notify", changes: delta, origin: { type: "remote", actor: change.actor } };
    const header: ReplicaEffect = { type: "apply-header", change };
    return followed([header], send({ ...state, version: change.version }), [notify]);
  },
  "merge-refused": (state) => resync(state),
  "push-confirmed": (state, { requestId }) => {
    if (!isPending(state, requestId)) return step(state);
    const rest = withoutPush(state, requestId);
    return followed(pushWorked, send({ ...rest, confirmed: [...rest.confirmed, requestId] }), selectionOf(rest.pushes));
  },
  "push-refused": (state, event) => pushRefused(state, event, () => resync(state)),
  "push-retry-due": (state) => send({ ...state, pushes: toSendAgain(state.pushes) }),
  "watch-refused": (state, { reason }) => {
    if (reason.code !== "BLOCK_NOT_FOUND") return step(state, ...watchRefused(reason));
    return lose(gone(state, state.replicaId), state.pushes, reason);
  },
};

const resyncingRow: Row<"resyncing"> = {
  ...always,
  connected: (state, { replicaId }) => step({ ...state, nextReplicaId: replicaId }, wholeCopy),
  edited: (state, event) => {
    const { state: edited, effects } = withEdited(state, event);
    return step(edited, ...effects, { type: "notify", changes: event.delta, origin: { type: "local" } });
  },
  "undo-requested": (state) => {
    const { pushes, effects } = closeOpen(state.pushes);
    return step({ ...state, pushes, hold: undoing(state.hold, idsOf(pushes)) }, ...effects);
  },
  "undo-answered": (state, { version }) => step({ ...state, hold: answered(state.hold, version) }),
  "copy-damaged": (state) => damagedAgain(state),
  "copy-received": (state, { copy }) => adopt(state, copy, state.nextReplicaId),
  "copy-adopted": (state, event) => adopted(state.nextReplicaId, state.hold, event),
  // The awaited copy contains the change.
  "change-received": ignored,
  "change-unreadable": ignored,
  "change-merged": ignored,
  "merge-refused": ignored,
  "push-confirmed": (state, { requestId }) => {
    if (!isPending(state, requestId)) return step(state);
    const rest = withoutPush(state, requestId);
    return step(rest, ...pushWorked, ...selectionOf(rest.pushes));
  },
  "push-refused": (state, event) => pushRefused(state, event, () => step(state, wholeCopy)),
  "push-retry-due": ignored,
  "watch-refused": (state, { reason }) => {
    if (reason.code !== "BLOCK_NOT_FOUND") return step(state, ...watchRefused(reason));
    return lose(gone(state, state.nextReplicaId), state.pushes, reason);
  },
};

const goneRow: Row<"gone"> = {
  ...noText,
  ...always,
  connected: (state, { replicaId }) => step({ ...state, nextReplicaId: replicaId }, wholeCopy),
  edited: (state, { edit, delta }) =>
    step(
      state,
      { type: "notify", changes: delta, origin: { type: "local" } },
      { type: "report", reason: refusal("BLOCK_NOT_FOUND"), lost: edit.inserted },
    ),
  "undo-requested": (state) => step({ ...state, hold: undoing(state.hold, []) }),
  "undo-answered": (state) => step({ ...state, hold: { type: "none" } }),
  "copy-damaged": (state) => step(state, ...watchRefused(refusal("INTERNAL", { reason: "snapshot" }))),
  "copy-received": (state, { copy }) => {
    const { replicaId: formerId, nextReplicaId: replicaId } = state;
    return step(state, ...copyIsFine, { type: "adopt-copy", copy, pushes: [], formerId, replicaId });
  },
  "copy-adopted": (state, event) => adopted(state.nextReplicaId, state.hold, event),
  "watch-refused": (state, { reason }) => step(state, ...watchRefused(reason)),
};

const closed: Row<"closed"> = {
  ...noText,
  connected: ignored,
  disconnected: ignored,
  "undo-requested": ignored,
  "undo-answered": ignored,
  "copy-damaged": ignored,
  "copy-received": ignored,
  "copy-adopted": ignored,
  "watch-refused": ignored,
  "watch-retry-due": ignored,
  closed: ignored,
};

/** The whole machine: what each event does in each state. */
const table: { readonly [State in ReplicaState["type"]]: Row<State> } = {
  connecting,
  opening,
  following,
  resyncing: resyncingRow,
  gone: goneRow,
  closed,
};

const sendSelection: ReplicaEffect = { type: "send-selection" };
const pushWorked: readonly ReplicaEffect[] = [
  { type: "reset-retry", of: "push" },
  { type: "clear-report", of: "waiting-push" },
];
const restored: readonly ReplicaEffect[] = [
  { type: "reset-retry", of: "push" },
  { type: "clear-report", of: "any" },
];
const copyIsFine: readonly ReplicaEffect[] = [
  { type: "reset-retry", of: "watch" },
  { type: "clear-report", of: "any" },
];

function step(state: ReplicaState, ...effects: readonly ReplicaEffect[]): ReplicaStep {
  return { state, effects };
}

function followed(
  before: readonly ReplicaEffect[],
  { state, effects }: ReplicaStep,
  after: readonly ReplicaEffect[] = [],
): ReplicaStep {
  return { state, effects: [...before, ...effects, ...after] };
}

/** Sends the pending pushes, unless one is in flight: edits made meanwhile travel together in the next one. */
function send(state: Following): ReplicaStep {
  const held = isHeld(state);
  if (!held && state.pushes.some(({ stage }) => stage === "in-flight")) return step(state);
  const { pushes, effects } = held ? { pushes: state.pushes, effects: [] } : closeOpen(state.pushes);
  const isDue = ({ stage, requestId }: PendingPush): boolean =>
    stage === "ready" && (!held || isBefore(state.hold, requestId));
  const due = pushes.filter(isDue);
  if (due.length === 0) return step(state);
  return step(
    { ...state, pushes: pushes.map((push) => (isDue(push) ? { ...push, stage: "in-flight" } : push)) },
    ...effects,
    ...due.map(({ requestId }): ReplicaEffect => ({ type: "push", requestId })),
  );
}

function isHeld({ hold, version }: Following): boolean {
  return hold.type === "undoing" || (hold.type === "undone" && version < hold.version);
}

function isBefore(hold: UndoHold, requestId: RequestId): boolean {
  return hold.type !== "none" && hold.before.includes(requestId);
}

/** Ends the open push: no further edit joins it. */
function closeOpen(pushes: readonly PendingPush[]): {
  readonly pushes: readonly PendingPush[];
  readonly effects: readonly ReplicaEffect[];
} {
  const last = pushes.at(-1);
  if (last?.stage !== "open") return { pushes, effects: [] };
  const { requestId, base } = last;
  return {
    pushes: [...pushes.slice(0, -1), { ...last, stage: "ready" }],
    effects: [{ type: "encode", requestId, base }],
  };
}

function withEdited<State extends Following | Resyncing>(
  state: State,
  { edit, encoded }: EventOf<"edited">,
): { readonly state: State; readonly effects: readonly ReplicaEffect[] } {
  const pushes = withEdit(state.pushes, edit, encoded ? "ready" : "open");
  const last = pushes.at(-1);
  if (last === undefined || last.inserted.length <= pushUnitsMax) return { state: { ...state, pushes }, effects: [] };
  const full = closeOpen(pushes);
  return { state: { ...state, pushes: full.pushes }, effects: full.effects };
}

/** Applies the next change of the block: this page's own edits, somebody else's, or a change of the header. */
function take(state: Following, change: BlockChange): ReplicaStep {
  const { body, requestId, version } = change;
  const header: ReplicaEffect = { type: "apply-header", change };
  if (body.type === "deleted") {
    // Edits that wait are kept: they are sent when the block is restored.
    const report: ReplicaEffect = {
      type: "report",
      reason: refusal("IN_TRASH", { block_id: change.blockId }),
      lost: null,
    };
    return step({ ...state, version }, header, report);
  }
  if (body.type === "restored") {
    return followed([header, ...restored], send({ ...state, version, pushes: toSendAgain(state.pushes) }));
  }
  if (body.type !== "text" && body.type !== "created") return followed([header], send({ ...state, version }));
  if (requestId !== undefined && state.confirmed.includes(requestId)) {
    const confirmed = state.confirmed.filter((other) => other !== requestId);
    return followed([header], send({ ...state, version, confirmed }));
  }
  if (requestId !== undefined && isPending(state, requestId)) {
    const rest = withoutPush({ ...state, version }, requestId);
    return followed([...pushWorked, header], send(rest), selectionOf(rest.pushes));
  }
  // An open push is encoded as everything since its base: edits of others must not come in between.
  const { pushes, effects } = closeOpen(state.pushes);
  return step({ ...state, pushes }, ...effects, { type: "merge", change });
}

/** Asks for a fresh copy; edits are kept for it. */
function resync(state: Following, change: Partial<Pick<Resyncing, "nextReplicaId">> = {}): ReplicaStep {
  return step({ ...resyncing(state), ...change }, wholeCopy);
}

function resyncing(state: Following): Resyncing {
  return { ...state, type: "resyncing", nextReplicaId: state.replicaId, damaged: 0 };
}

function damagedAgain(state: Opening | Resyncing): ReplicaStep {
  const damaged = state.damaged + 1;
  if (damaged < damagedCopiesMax) return step({ ...state, damaged }, wholeCopy);
  return step({ ...state, damaged }, ...watchRefused(refusal("INTERNAL", { reason: "snapshot" })));
}

function adopt(
  state: Following | Resyncing,
  copy: EventOf<"copy-received">["copy"],
  replicaId: ReplicaId,
): ReplicaStep {
  const { pushes, effects } = closeOpen(state.pushes);
  const adoptCopy: ReplicaEffect = { type: "adopt-copy", copy, pushes, formerId: state.replicaId, replicaId };
  return step({ ...state, pushes }, ...copyIsFine, ...effects, adoptCopy);
}

function adopted(
  replicaId: ReplicaId,
  hold: UndoHold,
  { version, pushes, delta, lost }: EventOf<"copy-adopted">,
): ReplicaStep {
  const reports: readonly ReplicaEffect[] =
    lost === null ? [] : [{ type: "report", reason: refusal("CONFLICT"), lost }];
  const state: Following = {
    type: "following",
    replicaId,
    version,
    pushes: toSendAgain(pushes),
    // The copy contains an undo that was answered before it was made; a restored server may have lost that undo.
    hold: hold.type === "undone" ? { type: "none" } : hold,
    confirmed: [],
  };
  return followed(reports, send(state), [resynced(delta), sendSelection]);
}

function resynced(changes: readonly TextChange[]): ReplicaEffect {
  return { type: "notify", changes, origin: { type: "resync" } };
}

function pushRefused<State extends Following | Resyncing>(
  state: State,
  { requestId, reason }: EventOf<"push-refused">,
  fetchCopy: () => ReplicaStep,
): ReplicaStep {
  if (!isPending(state, requestId)) return step(state);
  const { resent, shown } = pushRetry(reason);
  if (resent) {
    const reports: readonly ReplicaEffect[] = shown ? [{ type: "report", reason, lost: null }] : [];
    return step(state, ...reports, { type: "schedule-retry", of: "push" });
  }
  if (reason.code === "UPDATE_GAP" || reason.code === "VERSION_UNKNOWN") return fetchCopy();
  // Every edit so far may build on the refused one; what is typed from now on is kept for the fresh copy.
  const report: ReplicaEffect = { type: "report", reason, lost: wordsIn(state.pushes) };
  const { state: next, effects } = fetchCopy();
  assert(next.type === "resyncing", "a refused push leads to a fresh copy");
  return step({ ...next, pushes: [] }, report, ...effects);
}

function watchRefused(reason: Refusal): readonly ReplicaEffect[] {
  const report: ReplicaEffect = { type: "report", reason, lost: null };
  return retriesWatch(reason) ? [report, { type: "schedule-retry", of: "watch" }] : [report];
}

/** The block does not exist: no copy will come, and unconfirmed edits are lost. */
function lose(state: Gone, pushes: readonly PendingPush[], reason: Refusal): ReplicaStep {
  return step(state, { type: "report", reason, lost: pushes.length === 0 ? null : wordsIn(pushes) });
}

function gone({ replicaId, hold }: Following | Resyncing, nextReplicaId: ReplicaId): Gone {
  return { type: "gone", replicaId, nextReplicaId, hold };
}

function undoing(hold: UndoHold, before: readonly RequestId[]): UndoHold {
  assert(hold.type !== "undoing", "edits are held back for one undo at a time");
  return { type: "undoing", before };
}

function answered(hold: UndoHold, version: number): UndoHold {
  return hold.type === "none" ? hold : { type: "undone", before: hold.before, version };
}

/** Others may have placed this page's selection in a text without its edits; once all have the edits, it is sent again. */
function selectionOf(pushes: readonly PendingPush[]): readonly ReplicaEffect[] {
  return pushes.length === 0 ? [sendSelection] : [];
}

function isPending({ pushes }: Following | Resyncing, requestId: RequestId): boolean {
  return pushes.some((push) => push.requestId === requestId);
}

function withoutPush<State extends Following | Resyncing>(state: State, requestId: RequestId): State {
  return { ...state, pushes: state.pushes.filter((push) => push.requestId !== requestId) };
}
