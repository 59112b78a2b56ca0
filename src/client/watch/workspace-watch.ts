import type { Actor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { CommandAnswer } from "../../core/protocol/commands.ts";
import type { DownMessage } from "../../core/protocol/base/messages.ts";
import { createCell, type Batch } from "../base/observable.ts";
import type { Observable, WorkspaceView } from "../base/types.ts";

/** The workspace as the server described it last. */
export interface WorkspaceWatch {
  readonly view: Observable<WorkspaceView | null>;
  /** Shows who came and went; `clientId` marks this connection among the people. */
  take(message: Extract<DownMessage, { type: "people" }>, clientId: string): void;
  /** The server does not show who is there. */
  refused(reason: Refusal): void;
  setModels(models: CommandAnswer<"models.list">["models"]): void;
}

/** Creates a view that is null until the first message. */
export function watchWorkspace(batch: Batch): WorkspaceWatch {
  const view = createCell<WorkspaceView | null>(null, batch);
  let models: WorkspaceView["models"] = [];
  let actorsByClient: ReadonlyMap<string, Actor> = new Map();
  return {
    view,
    take({ whole, entered, left }, ownId) {
      const next = new Map(whole ? [] : actorsByClient);
      for (const clientId of left) next.delete(clientId);
      for (const { clientId, actor } of entered) next.set(clientId, actor);
      actorsByClient = next;
      const people = [...next].map(([clientId, actor]) => ({ clientId, actor, self: clientId === ownId }));
      view.set({ models, people });
    },
    refused(reason) {
      view.set({ models, people: [], refused: reason });
    },
    setModels(next) {
      models = next;
      const known = view.get();
      if (known !== null) view.set({ ...known, models });
    },
  };
}
