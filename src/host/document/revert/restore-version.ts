import { assert } from "../../../core/base/assert.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { err, ok } from "../../../core/base/result.ts";
import { diffChanges } from "../../../core/block/change/diff-changes.ts";
import type { BlockChangeBody } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { OpSpan } from "../../../core/text/types.ts";
import type { OpenBlock } from "../block/open-block.ts";
import type { Mutation } from "../queue/mutation.ts";
import { readLogStart } from "../record/log-start.ts";
import type { Writer } from "../record/writer.ts";

/** A text of a block that was, and the version that had it. */
export interface EarlierText {
  readonly version: number;
  readonly text: string;
}

interface RestorePorts {
  readonly store: Pick<Store, "changes" | "logStart">;
  readonly whyRefused: (writer: Writer, block: OpenBlock) => Refusal | null;
}

/**
 * Returns the mutation that brings an earlier text back. Where the log reaches back that far, everything since is cancelled, so
 * that the letters of then return with their authors and the comments on them; what still differs is an edit.
 */
export function restoreVersion(
  { store, whyRefused }: RestorePorts,
  writer: Writer,
  then: EarlierText,
): Pick<Mutation, "prepare" | "plan"> {
  let since: readonly OpSpan[] = [];
  return {
    prepare: async ({ id }) => {
      since = await spansSince(store, id, then.version);
    },
    plan: (block) => {
      const refused = whyRefused(writer, block);
      if (refused !== null) return err(refused);
      block.endTyping(writer.replica);
      if (block.document.text() === then.text) return ok([]);
      const bodies: BlockChangeBody[] = [];
      const cancelled = since.length === 0 ? null : block.cancel(writer, since);
      if (cancelled?.ok === true && cancelled.value.body !== null) bodies.push(cancelled.value.body);
      const left = diffChanges(block.document.text(), then.text);
      if (left.length === 0) return ok(bodies);
      const edited = block.edit(writer, left);
      // Once something is cancelled in memory it has to be stored; and a text that was there once fits.
      assert(edited.ok || bodies.length === 0, `an earlier text of ${block.id} can be made again`);
      if (!edited.ok) return edited;
      if (edited.value.body !== null) bodies.push(edited.value.body);
      return ok(bodies);
    },
  };
}

/** Returns all operations after a version; none when the log does not reach back to it. */
async function spansSince(store: RestorePorts["store"], blockId: BlockId, version: number): Promise<readonly OpSpan[]> {
  const { beforeVersion } = await readLogStart(store, blockId);
  if (version < beforeVersion - 1) return [];
  const log = await store.changes({ blockId, afterVersion: version });
  return log.flatMap(({ body }) => (body.type === "text" ? body.spans : []));
}
