import type { BlockId, NodeId, TurnId } from "../../core/base/ids.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { CanvasRevision } from "../../core/block/canvas-revision.ts";
import { parseRevisionId, revisionId } from "../../core/block/revision.ts";
import type { BlockChange } from "../../core/block/types.ts";
import { lastCanvas, seenRevision } from "../../core/forest/seen-canvas.ts";
import type { ForestNode, SeenCanvas } from "../../core/forest/types.ts";
import { canvasUpdateMessage, isCanvasUpdate, type CanvasAt } from "../../core/message/canvas-update.ts";
import type { Message, UserMessage } from "../../core/message/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { BlockReading, DocumentHub } from "../document/types.ts";
import { systemPrompt, systemPromptWithoutCanvas } from "../system-prompt.ts";

/** What a path's model is told before a person's message, and the canvas as it knows it from there on. */
interface NewsBeforeMessage {
  readonly updates: readonly UserMessage[];
  readonly canvas: SeenCanvas | null;
}

/** The branch that is about to be told something. */
interface ToldBranch {
  /** From the first message to the branch's head. */
  readonly path: readonly ForestNode[];
  /** The turn that was or is under way at its end; null for none. */
  readonly turnId: TurnId | null;
  /** What the model is about to be told beyond the path. */
  readonly told?: readonly UserMessage[];
}

/** What conversations learn of canvases for their models, and what of canvases is committed with their messages. */
export interface CanvasNews {
  /** What people, and others' agents, changed in the conversation's canvas since the branch's model last saw it. */
  beforeMessage(branch: ToldBranch, canvasId: BlockId | null): Promise<NewsBeforeMessage>;
  /** What the turn itself changed, one message for each canvas. Empty where nothing is left of it. */
  afterTurn(branch: ToldBranch): Promise<readonly UserMessage[]>;
  /** What a model is told first: where there are no canvases, not what Heddle itself says of them. */
  system(prompt: string): string;
  /** What of a branch a model is sent: where canvases are switched off, nothing that was told of them. */
  sent(messages: readonly Message[]): readonly Message[];
  /** What commits the texts of canvases with a message that is about to be stored; never a reason not to store it. */
  revisionWrites(nodes: readonly ForestNode[], canvasId: BlockId | null): Promise<readonly StoreWrite[]>;
}

/** Of conversations that have no canvases. */
export const noCanvasNews: CanvasNews = {
  // A conversation keeps the prompt that it began with, also from when there were canvases.
  system: (prompt) => (prompt === systemPrompt ? systemPromptWithoutCanvas : prompt),
  sent: (messages) => messages,
  beforeMessage: async () => ({ updates: [], canvas: null }),
  afterTurn: async () => [],
  revisionWrites: async () => [],
};

interface CanvasNewsPorts {
  readonly hub: Pick<DocumentHub, "read" | "readAt">;
  readonly store: Pick<Store, "changes" | "changesOfTurn" | "revisions" | "revisionText" | "block">;
  readonly platform: Pick<Platform, "clock" | "logger">;
}

/** How long a message waits for a canvas that is kept busy; what it then lacks is told and committed with the next one. */
const newsWaitMaxMs = 500;

/** Looks at canvases through the hub. What cannot be read is no news, and is logged: a message is sent all the same. */
export function createCanvasNews(ports: CanvasNewsPorts): CanvasNews {
  const { hub, store, platform } = ports;

  async function guarded<Value>(what: string, otherwise: Value, look: () => Promise<Value>): Promise<Value> {
    const { promise: bound, resolve } = Promise.withResolvers<Value>();
    const cancelTimer = platform.clock.setTimer(newsWaitMaxMs, () => {
      platform.logger.warn(what, { reason: "the canvas did not answer in time" });
      resolve(otherwise);
    });
    try {
      return await Promise.race([look(), bound]);
    } catch (problem) {
      platform.logger.error(what, { reason: reasonOf(problem) });
      return otherwise;
    } finally {
      cancelTimer();
    }
  }

  /** The versions of canvases that a turn made, newest last. */
  async function versionsOfTurn(turnId: TurnId): Promise<ReadonlyMap<BlockId, number>> {
    const versions = new Map<BlockId, number>();
    for (const change of await store.changesOfTurn(turnId)) {
      const own = change.actor.type === "model" && change.actor.turnId === turnId;
      if (own && isOfText(change)) versions.set(change.blockId, change.version);
    }
    for (const blockId of versions.keys()) {
      const header = await store.block(blockId);
      if (header?.policy === undefined || header.deletedAt !== undefined) versions.delete(blockId);
    }
    return versions;
  }

  async function canvasAt(canvasId: BlockId, id: string): Promise<CanvasAt> {
    const version = parseRevisionId(id)?.version;
    const reading = version === undefined ? null : await hub.readAt(canvasId, version);
    if (reading?.ok === true && revisionOf(reading.value) === id) return { revisionId: id, text: reading.value.text };
    const kept = version === undefined ? null : await store.revisionText(canvasId, version);
    return { revisionId: id, text: kept !== null && revisionId(version ?? 0, kept) === id ? kept : null };
  }

  /** Who changed a canvas after a revision, up to a version. */
  async function authorsSince(canvasId: BlockId, from: string | null, upTo: number, turnId: TurnId | null) {
    const afterVersion = from === null ? 0 : (parseRevisionId(from)?.version ?? 0);
    const others = new Set<string>();
    let own: string | null = null;
    for (const change of await store.changes({ blockId: canvasId, afterVersion })) {
      if (change.version > upTo || !isOfText(change)) continue;
      const { actor } = change;
      if (actor.type === "model" && actor.turnId === turnId && turnId !== null) own = actor.name;
      else others.add(actor.name);
    }
    return { own, changedBy: [...others] };
  }

  async function ofTurn(branch: ToldBranch): Promise<readonly UserMessage[]> {
    const { path, turnId } = branch;
    if (turnId === null) return [];
    const updates: UserMessage[] = [];
    for (const [canvasId, version] of await versionsOfTurn(turnId)) {
      const seen = seenRevision(path, canvasId);
      if (seen !== null && (parseRevisionId(seen)?.version ?? 0) >= version) continue;
      const to = await hub.readAt(canvasId, version);
      if (!to.ok) continue;
      const from = seen === null ? await beforeTurn(canvasId, turnId) : await canvasAt(canvasId, seen);
      const update = canvasUpdateMessage({
        canvasId,
        title: titleOf(to.value),
        from,
        to: { revisionId: revisionOf(to.value), text: to.value.text },
        ...(await authorsSince(canvasId, from.revisionId, version, turnId)),
        switched: false,
      });
      if (update !== null) updates.push(update);
    }
    return updates;
  }

  /** The canvas as it was before a turn first changed it. */
  async function beforeTurn(canvasId: BlockId, turnId: TurnId): Promise<CanvasAt> {
    const first = (await store.changesOfTurn(turnId)).find((change) => change.blockId === canvasId);
    const reading = await hub.readAt(canvasId, Math.max(1, (first?.version ?? 1) - 1));
    return reading.ok
      ? { revisionId: revisionOf(reading.value), text: reading.value.text }
      : { revisionId: revisionId(0, ""), text: null };
  }

  async function before(branch: ToldBranch, canvasId: BlockId | null): Promise<NewsBeforeMessage> {
    // What a turn wrote while it was being stopped is told as its own before anything else.
    const late = await ofTurn(branch);
    if (canvasId === null) return { updates: late, canvas: null };
    const header = await store.block(canvasId);
    if (header?.policy === undefined || header.deletedAt !== undefined) return { updates: late, canvas: null };
    // Its own edits it knows of; of others' it is told when the canvas is no longer left out.
    if (header.excluded) return { updates: late, canvas: null };
    const seen =
      [...(branch.told ?? []), ...late].findLast(({ update }) => update?.canvasId === canvasId)?.update?.to ??
      seenRevision(branch.path, canvasId);
    const last = lastCanvas(branch.path);
    const switched = branch.path.length > 0 && last?.canvasId !== canvasId;
    if (seen !== null && !switched && parseRevisionId(seen)?.version === header.version) {
      return { updates: late, canvas: { canvasId, revisionId: seen } };
    }
    const now = await hub.read(canvasId);
    if (!now.ok) return { updates: late, canvas: null };
    const to = { revisionId: revisionOf(now.value), text: now.value.text };
    const from = seen === null ? null : await canvasAt(canvasId, seen);
    const silent = from === null && !switched;
    const update = silent
      ? null
      : canvasUpdateMessage({
          canvasId,
          title: titleOf(now.value),
          from,
          to,
          ...(await authorsSince(canvasId, seen, now.value.header.version, null)),
          switched,
        });
    return {
      updates: update === null ? late : [...late, update],
      canvas: { canvasId, revisionId: to.revisionId },
    };
  }

  async function revisionWrite(canvasId: BlockId, nodeId: NodeId): Promise<readonly StoreWrite[]> {
    const header = await store.block(canvasId);
    if (header?.policy === undefined || header.deletedAt !== undefined) return [];
    const [last] = await store.revisions({ canvasId, beforeVersion: null, limit: 1 });
    if (last !== undefined && last.version >= header.version) return [];
    const now = await hub.read(canvasId);
    if (!now.ok) return [];
    const { version } = now.value.header;
    const hash = sha256Hex(now.value.text);
    if (last?.hash === hash) return [];
    const changes = await store.changes({ blockId: canvasId, afterVersion: last?.version ?? 0 });
    const written = changes.filter((change) => isOfText(change) && change.version <= version);
    const newest = written.at(-1);
    if (newest === undefined) return [];
    const alsoBy = new Set(written.map(({ actor }) => actor.name));
    alsoBy.delete(newest.actor.name);
    const revision: CanvasRevision = {
      canvasId,
      revisionId: revisionOf(now.value),
      version,
      hash,
      actor: newest.actor,
      alsoBy: [...alsoBy],
      nodeId,
      at: platform.clock.now(),
    };
    return [{ type: "put-revision", revision, text: now.value.text }];
  }

  return {
    system: (prompt) => prompt,
    sent: (messages) => messages,
    beforeMessage: (branch, canvasId) =>
      guarded("canvas-news-lost", { updates: [], canvas: null }, () => before(branch, canvasId)),
    afterTurn: (branch) => guarded("canvas-news-lost", [], () => ofTurn(branch)),
    async revisionWrites(nodes, canvasId) {
      const last = nodes.findLast(({ message }) => !isCanvasUpdate(message)) ?? nodes.at(-1);
      if (last === undefined) return [];
      const told = nodes.flatMap(({ message }) =>
        message.role === "user" && message.update !== undefined ? [message.update.canvasId] : [],
      );
      const canvasIds = new Set([...(canvasId === null ? [] : [canvasId]), ...told]);
      const writes: StoreWrite[] = [];
      for (const id of canvasIds) {
        writes.push(
          ...(await guarded<readonly StoreWrite[]>("canvas-not-committed", [], () => revisionWrite(id, last.id))),
        );
      }
      return writes;
    },
  };
}

/** Of a workspace whose models have no canvas tools: no request has a trace of canvases; people's revisions are kept. */
export function silentCanvasNews(news: CanvasNews): CanvasNews {
  return {
    ...noCanvasNews,
    revisionWrites: (nodes, canvasId) => news.revisionWrites(nodes, canvasId),
    sent: (messages) => messages.filter((message) => !isCanvasUpdate(message)),
  };
}

function isOfText({ what }: BlockChange): boolean {
  return what.type === "text" || what.type === "created";
}

function revisionOf({ header, text }: BlockReading): string {
  return revisionId(header.version, text);
}

function titleOf({ header }: BlockReading): string {
  const { title } = header.metadata;
  return typeof title === "string" ? title : "";
}
