import { useEffect, useState } from "react";
import type { HeddleClient, TextReplica } from "../../../src/client/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";

/** The text of a canvas while it is shown; null before it is here. */
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
