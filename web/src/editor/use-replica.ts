import { useEffect, useState } from "react";
import type { HeddleClient, TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";

/** Returns the replica of a shown canvas; null until it is loaded. */
export function useReplica(client: HeddleClient, canvasId: BlockId | null): TextReplica | null {
  const [replica, setReplica] = useState<TextReplica | null>(null);
  useEffect(() => {
    if (canvasId === null) return undefined;
    const opened = client.openText(canvasId);
    const note = (): void => {
      if (opened.ready) setReplica(opened);
    };
    note();
    const stop = opened.header.subscribe(note);
    return () => {
      stop();
      setReplica(null);
      opened.close();
    };
  }, [client, canvasId]);
  return replica?.blockId === canvasId ? replica : null;
}
