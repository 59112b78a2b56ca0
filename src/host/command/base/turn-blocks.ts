import type { BlockId, TurnId } from "../../../core/base/ids.ts";
import { neededByBlock } from "../../access/why-not-allowed.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { CommandCall } from "./call.ts";

/** The blocks that an agent's turn changed, as far as the caller may know of them. */
export interface TurnBlocks {
  /** Where they may undo and redo it. */
  readonly within: ReadonlySet<BlockId>;
  /** The documents that they may read, and in which it stays. */
  readonly unchanged: readonly BlockId[];
}

/** Says in which blocks the caller may revert a turn: it may have worked where they may only read, or know of nothing. */
export async function turnBlocks(
  { workspace, may }: { readonly workspace: Pick<Workspace, "store">; readonly may: CommandCall<never>["may"] },
  turnId: TurnId,
): Promise<TurnBlocks> {
  const { store } = workspace;
  const needed = new Map(neededByBlock("document.edit", await store.changesOfTurn(turnId)));
  // Of those whose log was cut only the name is left.
  for (const id of await store.trimmedOfTurn(turnId)) {
    if (!needed.has(id)) needed.set(id, [["document.edit", { type: "block", id }]]);
  }
  const within = new Set<BlockId>();
  const unchanged: BlockId[] = [];
  for (const [id, questions] of needed) {
    const answers = await Promise.all(questions.map(may));
    if (answers.every((isAllowed) => isAllowed)) within.add(id);
    else if ((await may(["document.read", { type: "block", id }])) && (await store.block(id))?.kind === "file") {
      unchanged.push(id);
    }
  }
  return { within, unchanged };
}
