import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockChangeBody, BlockHeader } from "../../core/block/types.ts";
import type { Lanes } from "./queue/lanes.ts";
import type { Mutation } from "./queue/mutation.ts";
import type { Author, EditOptions } from "./record/types.ts";
import type { WriteGate } from "./block/write-gate.ts";

export interface HeaderPorts {
  readonly lanes: Lanes;
  readonly gate: WriteGate;
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
  { lanes, gate }: HeaderPorts,
  author: Author,
  blockId: BlockId,
  { plan, ignoresLease = false, ofStream, ...options }: HeaderChange,
): Promise<Result<{ readonly version: number }, Refusal>> {
  const applied = await lanes.of(blockId).mutate({
    ...options,
    blockId,
    author,
    plan: (block, broken) => {
      const leased = ignoresLease ? null : gate.whyLeased(author, block);
      const refused = leased ?? (ofStream === true ? null : gate.whyLive(author, block.header));
      if (refused !== null) return err(refused);
      return plan(block.header, broken);
    },
  });
  return applied.ok ? ok({ version: applied.value.version }) : applied;
}
