import type { BlockId, LeaseId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { isCanvasUpdate } from "../../core/message/canvas-update.ts";
import type { Message, UserMessage } from "../../core/message/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { BlockReader } from "../document/block-reader.ts";
import type { Suggestions } from "../document/review/suggestions.ts";
import type { RunLeases } from "../lease/types.ts";
import { systemPrompt, systemPromptWithoutCanvas } from "./system-prompt.ts";
import { CanvasUpdates, type UpdatedBranch, type UpdatesBeforeMessage } from "./canvas-updates.ts";
import { canvasesOf } from "./canvases-of.ts";
import { draftRevisionWrite } from "./draft-revision-write.ts";
import { revisionWrite } from "./revision-write.ts";
import { seenDocuments, type ToldOf } from "./seen-documents.ts";
import type { SeenDocument } from "../../core/turn/compaction/summary-text.ts";

/** The canvas updates that models receive, and the canvas revisions that are committed with messages. */
export interface CanvasContext {
  /** Returns what people, and others' agents, changed in the conversation's canvas since the branch's model last saw it. */
  beforeMessage(branch: UpdatedBranch, canvasId: BlockId | null): Promise<UpdatesBeforeMessage>;
  /** Returns what the turn itself changed, one message for each canvas. Empty where nothing of it is left. */
  afterTurn(branch: UpdatedBranch): Promise<readonly UserMessage[]>;
  /** Returns the canvases that the model of a path has seen, as they are now, for a summary of that path. */
  documents(path: readonly ForestNode[], of: ToldOf): Promise<readonly SeenDocument[]>;
  /** Returns the system prompt as sent; without a canvas, Heddle's own prompt omits it. */
  system(prompt: string, canvasId: BlockId | null): string;
  /** Returns the messages of a branch as sent to a model; where canvases are switched off, without canvas updates. */
  sent(messages: readonly Message[]): readonly Message[];
  /**
   * Returns the writes that commit canvas texts with a message that is about to be stored. A failure never keeps the message
   * from being stored.
   */
  revisionWrites(nodes: readonly ForestNode[], canvasId: BlockId | null): Promise<readonly StoreWrite[]>;
}

/** For conversations that have no canvases. */
export const noCanvasContext: CanvasContext = {
  // A conversation keeps its first prompt, which may date from when there were canvases.
  system: (prompt) => withoutCanvas(prompt),
  sent: (messages) => messages,
  beforeMessage: async () => ({ updates: [], canvas: null }),
  afterTurn: async () => [],
  documents: async () => [],
  revisionWrites: async () => [],
};

function withoutCanvas(prompt: string): string {
  return prompt === systemPrompt ? systemPromptWithoutCanvas : prompt;
}

interface CanvasContextPorts {
  readonly reader: Pick<BlockReader, "read" | "readAt">;
  readonly drafts: Pick<Suggestions, "draftText">;
  readonly leases: Pick<RunLeases, "grant">;
  readonly store: Pick<
    Store,
    | "changes"
    | "changesOfTurn"
    | "revisions"
    | "revisionText"
    | "draftRevisions"
    | "draftRevisionText"
    | "pathEnd"
    | "block"
  >;
  readonly platform: Pick<Platform, "clock" | "logger">;
}

/** How long a message waits for a busy canvas; missing updates and revisions go with the next message. Milliseconds. */
const canvasWaitMaxMs = 500;

/** How far above a result its call is looked for: the calls of one reply are answered one by one. */
const answeredMax = 32;

/** Reads canvases through the reader. A canvas that cannot be read is omitted and logged; the message is sent anyway. */
export function createCanvasContext(ports: CanvasContextPorts): CanvasContext {
  const { reader, drafts, leases, store, platform } = ports;
  const { clock } = platform;
  const updates = new CanvasUpdates(ports);

  async function guarded<Value>(what: string, otherwise: Value, look: () => Promise<Value>): Promise<Value> {
    const { promise: bound, resolve } = Promise.withResolvers<Value>();
    const cancelTimer = platform.clock.setTimer(canvasWaitMaxMs, () => {
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

  /** Returns the canvases that new messages of a draft, and the calls that they answer, are about. */
  function drafted(nodes: readonly ForestNode[]): Promise<ReadonlySet<BlockId>> {
    return guarded("canvas-not-committed", new Set<BlockId>(), async () => {
      const above = nodes[0]?.parentId ?? null;
      const leased = (leaseId: LeaseId): BlockId | undefined => leases.grant(leaseId)?.canvasId;
      return canvasesOf([...(above === null ? [] : await store.pathEnd(above, answeredMax)), ...nodes], null, leased);
    });
  }

  return {
    system: (prompt, canvasId) => (canvasId === null ? withoutCanvas(prompt) : prompt),
    sent: (messages) => messages,
    beforeMessage: (branch, canvasId) =>
      guarded("canvas-update-lost", { updates: [], canvas: null }, () => updates.beforeMessage(branch, canvasId)),
    afterTurn: (branch) => guarded("canvas-update-lost", [], () => updates.afterTurn(branch)),
    documents: (path, of) => guarded("canvas-update-lost", [], () => seenDocuments(ports, path, of)),
    async revisionWrites(nodes, canvasId) {
      const last = nodes.findLast(({ message }) => !isCanvasUpdate(message)) ?? nodes.at(-1);
      if (last === undefined) return [];
      const updated = nodes.flatMap(({ message }) =>
        message.role === "user" && message.update !== undefined ? [message.update.canvasId] : [],
      );
      const { draft: draftId } = last;
      const canvasIds = new Set([...(canvasId === null ? [] : [canvasId]), ...updated]);
      const writes: StoreWrite[] = [];
      const ofDraft = draftId === undefined ? [] : await drafted(nodes);
      for (const id of new Set([...canvasIds, ...ofDraft])) {
        const look = async (): Promise<readonly StoreWrite[]> => {
          const inDraft =
            draftId && (await draftRevisionWrite({ drafts, store, clock }, { canvasId: id, draftId }, last.id));
          if (inDraft) return inDraft;
          return canvasIds.has(id) ? revisionWrite({ reader, store, clock }, id, last.id) : [];
        };
        writes.push(...(await guarded("canvas-not-committed", [], look)));
      }
      return writes;
    },
  };
}

/** For a workspace whose models have no canvas tools: no request mentions canvases; people's revisions are kept. */
export function canvasContextForPeople(context: CanvasContext): CanvasContext {
  return {
    ...noCanvasContext,
    revisionWrites: (nodes, canvasId) => context.revisionWrites(nodes, canvasId),
    sent: (messages) => messages.filter((message) => !isCanvasUpdate(message)),
  };
}
