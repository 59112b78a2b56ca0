import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { BlockId } from "../../../../src/core/base/ids.ts";
import type { ForestRoot } from "../../../../src/core/forest/types.ts";
import type { AppServices } from "../../ui/app-context.ts";

/** The commands that ask a model something. */
const questions: ReadonlySet<string> = new Set([
  "message.send",
  "message.regenerate",
  "message.edit",
  "message.continue",
]);

/**
 * Asks about the document that the person looks at. A conversation has one canvas that its agent works on, and everybody in it may
 * look at another one: the conversation's is changed only with a question, so that nobody's page follows what others open.
 */
export class QuestionClient implements Pick<HeddleClient, "call"> {
  readonly #client: Pick<HeddleClient, "call">;
  readonly #tell: AppServices["tell"];
  readonly #root: () => Pick<ForestRoot, "id" | "canvasId"> | null;
  /** undefined until the page has shown something. */
  #lookedAt: BlockId | null | undefined;

  constructor(
    { client, tell }: { readonly client: Pick<HeddleClient, "call">; readonly tell: AppServices["tell"] },
    root: () => Pick<ForestRoot, "id" | "canvasId"> | null,
  ) {
    this.#client = client;
    this.#tell = tell;
    this.#root = root;
  }

  lookAt(canvasId: BlockId | null): void {
    this.#lookedAt = canvasId;
  }

  readonly call: HeddleClient["call"] = (command, params) => {
    const moved = questions.has(command) ? this.#moved() : null;
    return moved === null ? this.#client.call(command, params) : moved.then(() => this.#client.call(command, params));
  };

  /** Has the conversation work on what the person looks at; null where it does. A refusal is told, and the question goes on. */
  #moved(): Promise<void> | null {
    const root = this.#root();
    const canvasId = this.#lookedAt;
    if (root === null || canvasId === undefined || canvasId === root.canvasId) return null;
    return this.#client.call("conversation.set-canvas", { rootId: root.id, canvasId }).then((result) => {
      if (!result.ok) this.#tell(result.error);
    });
  }
}
