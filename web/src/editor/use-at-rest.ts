import { useEffect } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";

/** Does work when a document has been shown, and again when it has changed, each time after a rest; no key renders anything for it. */
export function useAtRest(replica: TextReplica, restMs: number, work: () => void): void {
  useEffect(() => {
    let timer = setTimeout(work, restMs);
    const stop = replica.header.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(work, restMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [replica, restMs, work]);
}
