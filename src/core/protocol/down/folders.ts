import * as v from "valibot";
import { folderRights } from "../../base/folder.ts";
import type { FolderId } from "../../base/ids.ts";
import { serverId, whole } from "./shapes.ts";

export const foldersMessage = v.object({
  type: v.literal("folders"),
  canAdd: v.boolean(),
  folders: v.array(
    v.object({
      id: serverId<FolderId>(),
      name: v.string(),
      path: v.string(),
      rights: v.picklist(folderRights),
      branch: v.nullable(v.string()),
      trusted: v.nullable(v.boolean()),
      away: v.nullable(v.string()),
      isDefault: v.boolean(),
      createdAt: v.number(),
      changes: whole,
    }),
  ),
});
