import { ok } from "../../core/base/result.ts";
import type { fileCommands } from "../../core/protocol/command/file.ts";
import { nothing, type Performs } from "./call.ts";
import { filesOfBlock, folderFiles } from "./folder-files.ts";
import { listFiles } from "./list-files.ts";

export const performFile: Performs<keyof typeof fileCommands> = {
  "file.list": ({ workspace }, params) => listFiles(workspace, params),
  async "file.open"({ workspace }, { folderId, path }) {
    const files = await folderFiles(workspace, folderId);
    const opened = files.ok ? await files.value.open(path) : files;
    return opened.ok ? ok({ blockId: opened.value }) : opened;
  },
  async "file.resolve"({ workspace, author }, { blockId, keep, hash }) {
    const files = await filesOfBlock(workspace, blockId);
    return files.ok ? nothing(await files.value.resolve(author(), blockId, keep, hash)) : files;
  },
};
