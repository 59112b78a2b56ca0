import { useCallback, useMemo, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { OpId } from "../../../src/core/text/types.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { useApp } from "../ui/app-context.ts";
import type { LineAuthors } from "./line-authors.ts";
import { OriginCache } from "./origin-cache.ts";
import { distinctOrigins, originLine, type OriginPlace, originWords, type OriginWords } from "./origin-words.ts";

/** The explained line, from 1, and its origins. */
export interface ExplainedLine {
  readonly line: number;
  readonly origins: readonly OriginWords[];
}

/** Explains the origin of lines. */
export interface Blame {
  readonly explained: ExplainedLine | null;
  /** `near`: units of other lines that may be requested next. */
  readonly explain: (authors: LineAuthors, near: readonly OpId[]) => Promise<string>;
  /** Opens the message when a single one wrote the line; otherwise shows the authors. */
  readonly pressed: (authors: LineAuthors, line: number) => void;
  show(authors: LineAuthors, line: number): void;
  close(): void;
}

/** Looks up and shows the authors and origins of a line. */
export function useBlame(
  replica: TextReplica,
  nodesById: ReadonlyMap<NodeId, ForestNode>,
  onPlace: (place: OriginPlace) => void,
): Blame {
  const { client } = useApp();
  const [explained, setExplained] = useState<ExplainedLine | null>(null);
  const latest = useRef({ nodesById, onPlace });
  latest.current = { nodesById, onPlace };
  const cache = useMemo(
    () =>
      new OriginCache(async (ops) => {
        const answer = await client.call("block.origins", { blockId: replica.blockId, ops });
        return answer.ok ? answer.value.origins : null;
      }),
    [client, replica],
  );
  const read = useCallback(
    async ({ main, ops }: LineAuthors, near: readonly OpId[] = []): Promise<readonly OriginWords[]> => {
      const origins = await cache.of(ops, near);
      const reader = {
        selfId: client.actor.get()?.id ?? null,
        nodesById: latest.current.nodesById,
        now: Date.now(),
      };
      const words = ops.map((op, index) =>
        originWords(origins[index] ?? null, replica.actorOf(op.replica) ?? main, reader),
      );
      return distinctOrigins(words);
    },
    [cache, client, replica],
  );
  const explain = useCallback(
    async (authors: LineAuthors, near: readonly OpId[]) => (await read(authors, near)).map(originLine).join("\n"),
    [read],
  );
  const show = useCallback(
    (authors: LineAuthors, line: number) => {
      void read(authors).then((origins) => setExplained({ line, origins }));
    },
    [read],
  );
  const pressed = useCallback(
    (authors: LineAuthors, line: number) => {
      void read(authors).then((origins) => {
        const [only, ...others] = origins;
        if (only !== undefined && only.place !== null && others.length === 0) latest.current.onPlace(only.place);
        else setExplained({ line, origins });
      });
    },
    [read],
  );
  const close = useCallback(() => setExplained(null), []);
  return { explained, explain, pressed, show, close };
}
