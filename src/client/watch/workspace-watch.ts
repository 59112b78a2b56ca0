import type { CommandAnswer } from "../../core/protocol/commands.ts";
import type { DownMessage } from "../../core/protocol/base/messages.ts";
import { createCell, type Batch } from "../base/observable.ts";
import type { Observable, WorkspaceView } from "../base/types.ts";

/** The workspace as the server described it last. */
export interface WorkspaceWatch {
  readonly view: Observable<WorkspaceView | null>;
  /** Shows the lists of a message; `clientId` marks this connection among the people. */
  take(message: Extract<DownMessage, { type: "workspace" }>, clientId: string): void;
  setModels(models: CommandAnswer<"models.list">["models"]): void;
}

/** Creates a view that is null until the first message. */
export function watchWorkspace(batch: Batch): WorkspaceWatch {
  const view = createCell<WorkspaceView | null>(null, batch);
  let models: WorkspaceView["models"] = [];
  return {
    view,
    take({ roots, canvases, people }, clientId) {
      const marked = people.map((person) => ({ ...person, self: person.clientId === clientId }));
      view.set({ roots, canvases, models, people: marked });
    },
    setModels(next) {
      models = next;
      const known = view.get();
      if (known !== null) view.set({ ...known, models });
    },
  };
}
