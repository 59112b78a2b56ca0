import { prefixHash } from "../../../core/forest/prefix-hash.ts";
import type { ForestNode, ForestRoot, SeenCanvas } from "../../../core/forest/types.ts";
import type { Message, UserMessage } from "../../../core/message/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { ConversationPorts } from "../base/conversation-ports.ts";
import type { DecidedTurn } from "../base/decide.ts";
import type { RunSnapshot } from "../base/run-snapshot.ts";

/** What the plan of an event must know that only the store and the canvases can tell. */
export interface Gathered {
  readonly notices: CanvasNotices;
  /** The nodes below the run's head that say `notices.before` and the event's message already, level by level. */
  readonly existing: readonly ForestNode[];
}

/** Canvas updates that are added to a branch with an event: Heddle wrote them, nobody sent them. */
export interface CanvasNotices {
  /** Added where a turn ends: the turn's own changes. */
  readonly after: readonly UserMessage[];
  /** Added before a person's message: what others have changed since. */
  readonly before: readonly UserMessage[];
  /** The conversation's canvas, as the model knows it from the person's message on. */
  readonly canvas: SeenCanvas | null;
}

/** The notices of an event that adds none. */
export const noNotices: CanvasNotices = { after: [], before: [], canvas: null };

type GatherPorts = Pick<ConversationPorts, "canvases"> & { readonly store: Pick<Store, "path" | "children"> };

/** Reads what a decision asks for; nothing is read for an event that neither brings a message nor ends a turn. */
export async function gather(
  ports: GatherPorts,
  root: ForestRoot,
  run: RunSnapshot,
  decision: DecidedTurn,
): Promise<Gathered> {
  const { event } = decision.first;
  const notices = await canvasNotices(ports, root, run, decision);
  if (event.type !== "message-sent" && event.type !== "response-finished") return { notices, existing: [] };
  const added = event.type === "message-sent" ? notices.before : [];
  const messages = event.message === null ? [] : [...added, event.message];
  const existing: ForestNode[] = [];
  for (const message of messages) {
    const node = await existingChild(ports.store, root.id, existing.at(-1) ?? run.head, message);
    if (node === null) break;
    existing.push(node);
  }
  return { notices, existing };
}

/** The node below a parent that says a message already; null where there is none. */
export async function existingChild(
  store: Pick<Store, "children">,
  rootId: ForestRoot["id"],
  parent: ForestNode | null,
  message: Message,
): Promise<ForestNode | null> {
  const hash = prefixHash(parent?.prefixHash ?? null, message);
  const children = await store.children(rootId, parent?.id ?? null);
  return children.find((child) => child.prefixHash === hash) ?? null;
}

async function canvasNotices(
  { canvases, store }: GatherPorts,
  { canvasId }: ForestRoot,
  { record, head }: RunSnapshot,
  { first, queued }: DecidedTurn,
): Promise<CanvasNotices> {
  const isSent = first.event.type === "message-sent" || queued !== null;
  if (!isSent && !first.ends) return noNotices;
  const path = head === null ? [] : await store.path(head.id);
  const { turnId } = record;
  const after = first.ends ? await canvases.afterTurn({ path, turnId }) : [];
  if (!isSent) return { ...noNotices, after };
  const branch = first.ends ? { path, turnId: null, told: after } : { path, turnId, told: [] };
  const { updates, canvas } = await canvases.beforeMessage(branch, canvasId);
  return { after, before: updates, canvas };
}
