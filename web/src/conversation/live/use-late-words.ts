import { useEffect, useRef } from "react";
import { lostIn } from "../../../../src/client/base/refused-edits.ts";
import type { HeddleClient, TextReplica } from "../../../../src/client/base/types.ts";
import type { BlockId, NodeId } from "../../../../src/core/base/ids.ts";
import { placeOf } from "../../../../src/core/block/live-block.ts";

/** Receives words that came too late for a reply; null where the reply left no message. */
type OnLate = (words: string, nodeId: NodeId | null) => void;

/**
 * Follows a live block until its field is gone and everything typed into it is stored or refused. Words that came too late
 * are then given on, all at once, with the message that the reply became.
 */
export function useLateWords(client: HeddleClient, blockId: BlockId, onLate: OnLate): void {
  const latest = useRef(onLate);
  latest.current = onLate;
  useEffect(() => {
    const replica = client.openText(blockId);
    let [late, left] = ["", false];
    const look = (): void => {
      const words = lostIn(replica.refused.get());
      if (words !== null) {
        late += words;
        // This calls back here.
        return replica.dismissRefusal();
      }
      if (!left || replica.unconfirmed.get() > 0) return;
      const end = endOf(replica);
      if (late !== "" && end === null) return;
      for (const stop of stops) stop();
      if (late !== "" && end !== null) latest.current(late, end.nodeId);
      replica.close();
    };
    const stops = [replica.refused, replica.unconfirmed, replica.header].map((each) => each.subscribe(look));
    return () => {
      left = true;
      look();
    };
  }, [client, blockId]);
}

/** Returns which message the block became; null while it is being stored. */
function endOf({ header }: TextReplica): { readonly nodeId: NodeId | null } | null {
  const now = header.get();
  if (now === null || (now.status !== "done" && now.status !== "error")) return null;
  return { nodeId: placeOf(now)?.nodeId ?? null };
}
