import type { RootId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { FeedRecord } from "../../../core/turn/state/feed.ts";
import { nodesNamed } from "../../../core/turn/state/stored-feed.ts";

/**
 * Returns the stored entries of a feed with the messages of their nodes as these are now. A node that is gone says so, and a
 * later entry removes it.
 */
export async function toldFeed(store: Pick<Store, "feed" | "nodesOf">, rootId: RootId): Promise<readonly FeedRecord[]> {
  const records = await store.feed(rootId, 0, 100_000);
  const nodes = new Map((await store.nodesOf(nodesNamed(records))).map((node) => [node.id, node]));
  return records.map(({ body, ...record }): FeedRecord => {
    if ("node" in body) {
      const { message } = nodes.get(body.node.id) ?? { message: gone };
      return { ...record, body: { type: body.type, node: { ...body.node, message } } };
    }
    return { ...record, body };
  });
}

const gone: ForestNode["message"] = { role: "user", content: [{ type: "text", text: "gone" }] };
