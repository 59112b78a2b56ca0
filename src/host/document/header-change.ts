import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockChangeBody, BlockHeader } from "../../core/block/types.ts";
import type { Lanes } from "./queue/lanes.ts";
import { isListed } from "./record/is-listed.ts";
import type { Listeners } from "./record/listeners.ts";
import type { Mutation } from "./queue/mutation.ts";
import type { Author, EditOptions } from "./record/types.ts";
import type { WriteGate } from "./block/write-gate.ts";

export interface HeaderPorts {
  readonly lanes: Lanes;
  readonly gate: WriteGate;
  /** Notified when a canvas was deleted or restored, or its metadata changed. */
  readonly canvases: Listeners<void>;
}

/** A change of a block's header. `broken`: text that was streamed onto the block was lost. */
interface HeaderChange extends EditOptions, Pick<Mutation, "closes" | "revives" | "leavesMemory" | "also"> {
  /** A person may do it while an agent holds the canvas's lease. */
  readonly ignoresLease?: boolean;
  /** The stream itself changes the header of its live block, which nobody else may. */
  readonly ofStream?: true;
  readonly plan: (header: BlockHeader, broken: boolean) => Result<readonly BlockChangeBody[], Refusal>;
}

/** Changes a block's header; refused to a person while an agent holds the canvas's lease, and for live blocks. */
export async function changeHeader(
  { lanes, gate, canvases }: HeaderPorts,
  author: Author,
  blockId: BlockId,
  { plan, ignoresLease = false, ofStream, ...options }: HeaderChange,
): Promise<Result<{ readonly version: number }, Refusal>> {
  let canvasChanged = false;
  const applied = await lanes.of(blockId).mutate({
    ...options,
    blockId,
    author,
    plan: (block, broken) => {
      const leased = ignoresLease ? null : gate.whyLeased(author, block);
      const refused = leased ?? (ofStream === true ? null : gate.whyLive(author, block.header));
      if (refused !== null) return err(refused);
      const bodies = plan(block.header, broken);
      const shown = bodies.ok && bodies.value.some(({ type }) => isListed(type));
      canvasChanged = shown && block.header.policy !== undefined;
      return bodies;
    },
  });
  if (applied.ok && canvasChanged) canvases.publish();
  return applied.ok ? ok({ version: applied.value.version }) : applied;
}
