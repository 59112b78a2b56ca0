import { useCallback, useState } from "react";
import type { TextReplica } from "../../../../src/client/base/types.ts";
import { useAtRest } from "../../editor/use-at-rest.ts";
import { countText, countWords } from "./word-count.ts";

/** How long a text rests before it is counted. Milliseconds. */
const restMs = 400;

/** How many words a text has, counted when the typing rests. */
export function CountChip({ replica }: { readonly replica: TextReplica }) {
  const [count, setCount] = useState(() => countText(replica.text()));
  useAtRest(
    replica,
    restMs,
    useCallback(() => setCount(countText(replica.text())), [replica]),
  );
  return (
    <span className="word-count" title={`${count.characters.toLocaleString("en")} characters`}>
      {countWords(count)}
    </span>
  );
}
