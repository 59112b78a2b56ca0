import * as v from "valibot";
import { nodeId, rootId, title } from "../parts.ts";

export const bookmarkCommands = {
  "bookmark.list": v.object({ rootId: v.exactOptional(rootId) }),
  "bookmark.put": v.object({ title, rootId, nodeId: v.nullable(nodeId) }),
  "bookmark.rename": v.object({ title, newTitle: title }),
  "bookmark.delete": v.object({ title }),
};
