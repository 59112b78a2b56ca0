import type { BlockId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { isCanvasUpdate } from "../../core/message/canvas-update.ts";
import type { Message, UserMessage } from "../../core/message/types.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { BlockReader } from "../document/block-reader.ts";
import { systemPrompt, systemPromptWithoutCanvas } from "./system-prompt.ts";
import { CanvasUpdates, type UpdatedBranch, type UpdatesBeforeMessage } from "./canvas-updates.ts";
import { revisionWrite } from "./revision-write.ts";

/** What conversations learn of canvases for their models, and what of canvases is committed with their messages. */
export interface CanvasNews {
  /** What people, and others' agents, changed in the conversation's canvas since the branch's model last saw it. */
  beforeMessage(branch: UpdatedBranch, canvasId: BlockId | null): Promise<UpdatesBeforeMessage>;
  /** What the turn itself changed, one message for each canvas. Empty where nothing is left of it. */
  afterTurn(branch: UpdatedBranch): Promise<readonly UserMessage[]>;
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
  readonly reader: Pick<BlockReader, "read" | "readAt">;
  readonly store: Pick<Store, "changes" | "changesOfTurn" | "revisions" | "revisionText" | "block">;
  readonly platform: Pick<Platform, "clock" | "logger">;
}

/** How long a message waits for a canvas that is kept busy; what it then lacks is told and committed with the next one. */
const newsWaitMaxMs = 500;

/** Reads canvases through the reader. What cannot be read is left out and logged: the message is sent all the same. */
export function createCanvasNews(ports: CanvasNewsPorts): CanvasNews {
  const { reader, store, platform } = ports;
  const updates = new CanvasUpdates(ports);

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

  return {
    system: (prompt) => prompt,
    sent: (messages) => messages,
    beforeMessage: (branch, canvasId) =>
      guarded("canvas-news-lost", { updates: [], canvas: null }, () => updates.beforeMessage(branch, canvasId)),
    afterTurn: (branch) => guarded("canvas-news-lost", [], () => updates.afterTurn(branch)),
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
          ...(await guarded<readonly StoreWrite[]>("canvas-not-committed", [], () =>
            revisionWrite({ reader, store, clock: platform.clock }, id, last.id),
          )),
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
