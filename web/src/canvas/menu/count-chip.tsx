import { useEffect, useState } from "react";
import type { TextReplica } from "../../../../src/client/base/types.ts";
import { countText, countWords } from "./word-count.ts";

/** How long a text rests before it is counted. Milliseconds. */
const restMs = 400;

/** How many words a text has, counted when the typing rests. */
export function CountChip({ replica, version }: { readonly replica: TextReplica; readonly version: number }) {
  const [count, setCount] = useState(() => countText(replica.text()));
  useEffect(() => {
    const timer = setTimeout(() => setCount(countText(replica.text())), restMs);
    return () => clearTimeout(timer);
  }, [replica, version]);
  return (
    <span className="word-count" title={`${count.characters.toLocaleString("en")} characters`}>
      {countWords(count)}
    </span>
  );
}
