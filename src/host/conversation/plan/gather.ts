import type { Actor } from "../../../core/base/actor.ts";
import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import { readableCanvas } from "../reply/model-canvas.ts";
import type { ForestNode, ForestRoot, SeenCanvas } from "../../../core/forest/types.ts";
import type { Message, UserMessage } from "../../../core/message/types.ts";
import type { Store, TurnAskers } from "../../../core/port/store.ts";
import { joinedBy } from "../../access/turn-rights.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";
import type { DecidedEvent, DecidedTurn } from "../base/decide.ts";
import { editNotes, untoldInTurn, untoldOf } from "./edit-notes.ts";
import type { RunSnapshot } from "../base/run-snapshot.ts";

/** The facts from the store and the canvases that the plan of an event needs. */
export interface Gathered {
  readonly notices: CanvasNotices;
  /** Replies that people changed and the model was not informed of; null where it is informed of none. */
  readonly untold: readonly ForestNode[] | null;
  /** The nodes below the run's head that equal `notices.before` and the event's message, level by level. */
  readonly existing: readonly ForestNode[];
}

/** Canvas updates that an event adds to a branch: written by Heddle, sent by nobody. */
export interface CanvasNotices {
  /** Added where a turn ends: the changes of that turn. */
  readonly after: readonly UserMessage[];
  /** Added before a person's message: the changes of others since. */
  readonly before: readonly UserMessage[];
  /** The conversation's canvas, as the model knows it from the person's message on. */
  readonly canvas: SeenCanvas | null;
}

/** The notices of an event that adds none. */
export const noNotices: CanvasNotices = { after: [], before: [], canvas: null };

type GatherPorts = Pick<ConversationPorts, "canvases" | "tellsEdits" | "rights"> & {
  readonly store: Pick<Store, "path" | "childByHash" | "node" | "block">;
  /** Returns for whom a turn works that somebody begins (`begins`) or steers. */
  readonly askersOf: (sender: Actor, begins: boolean) => TurnAskers;
};

/** Reads the facts a decision needs; reads nothing unless the event brings a message or ends a turn. */
export async function gather(
  ports: GatherPorts,
  root: ForestRoot,
  run: RunSnapshot,
  decision: DecidedTurn,
): Promise<Gathered> {
  const notices = await canvasNotices(ports, root, run, decision);
  const untold = await untoldReplies(ports, run, decision);
  const messages = messagesOf(decision, notices, untold);
  const existing: ForestNode[] = [];
  for (const message of messages) {
    const node = await existingChild(ports.store, root.id, existing.at(-1) ?? run.head, message);
    if (node === null) break;
    existing.push(node);
  }
  return { notices, untold, existing };
}

/** Returns the messages that an event adds at the head and that may exist there already, level by level. */
function messagesOf(
  { first: { event, step } }: DecidedTurn,
  notices: CanvasNotices,
  untold: Gathered["untold"],
): readonly Message[] {
  const notes = editNotes(untold ?? []);
  if (event.type === "message-sent") return [...notes, ...notices.before, event.message];
  if (event.type === "response-finished") return event.message === null ? [] : [event.message];
  if (event.type !== "reply-requested") return [];
  return [...notes, ...step.saved.flatMap((effect) => (effect.type === "save-message" ? [effect.message] : []))];
}

async function untoldReplies(
  { store, tellsEdits = true }: GatherPorts,
  { head }: RunSnapshot,
  { first, taken }: DecidedTurn,
): Promise<readonly ForestNode[] | null> {
  if (!tellsEdits) return null;
  if (head === null) return [];
  const asks = first.event.type === "message-sent" || (first.event.type === "reply-requested" && first.event.goOn);
  if (asks === true || taken.length > 0) return untoldOf(await store.path(head.id));
  return asksAgain(first) ? untoldInTurn(store, head) : [];
}

/** Returns whether a turn goes on with another request. */
export function asksAgain({ event, step }: DecidedEvent): boolean {
  return event.type !== "reply-requested" && step.performed.some(({ type }) => type === "prepare-request");
}

/** Finds the child that equals a message; null if there is none. */
export async function existingChild(
  store: Pick<Store, "childByHash">,
  rootId: ForestRoot["id"],
  parent: ForestNode | null,
  message: Message,
): Promise<ForestNode | null> {
  const hash = prefixHash(parent?.prefixHash ?? null, message);
  return store.childByHash(rootId, parent?.id ?? null, hash);
}

async function canvasNotices(
  ports: GatherPorts,
  root: ForestRoot,
  { record, head }: RunSnapshot,
  { first, queued, taken }: DecidedTurn,
): Promise<CanvasNotices> {
  const { canvases, store } = ports;
  const isSent = first.event.type === "message-sent" || taken.length > 0;
  if (!isSent && !first.ends) return noNotices;
  const path = head === null ? [] : await store.path(head.id);
  const { turnId } = record;
  const after = first.ends ? await canvases.afterTurn({ path, turnId }) : [];
  if (!isSent) return { ...noNotices, after };
  const branch = first.ends ? { path, turnId: null, told: after } : { path, turnId, told: [] };
  const asked = askersAfter(record.settings ?? {}, { first, queued, taken }, ports.askersOf);
  const { updates, canvas } = await canvases.beforeMessage(branch, await readableCanvas(root, asked, ports));
  return { after, before: updates, canvas };
}

/** Returns for whom the turn works that an event begins or goes on with. */
function askersAfter(
  before: TurnAskers,
  { first, queued, taken }: Pick<DecidedTurn, "first" | "queued" | "taken">,
  askersOf: GatherPorts["askersOf"],
): TurnAskers {
  const begun = queued ?? (first.begins ? first : null);
  const asked = begun === null ? before : askersOf(begun.sender, true);
  return taken.reduce((all, { actor }) => joinedBy(all, askersOf(actor, false)), asked);
}
