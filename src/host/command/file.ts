import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { fileCommands } from "../../core/protocol/command/file.ts";
import { listFiles, noFolderWords } from "./list-files.ts";
import { nothing, type Performs } from "./call.ts";

export const performFile: Performs<keyof typeof fileCommands> = {
  "file.list": ({ workspace }, params) => listFiles(workspace.files, params),
  async "file.open"({ workspace }, { path }) {
    const opened = (await workspace.files?.open(path)) ?? noFolder;
    return opened.ok ? ok({ blockId: opened.value }) : opened;
  },
  "file.resolve": async ({ workspace, author }, { blockId, keep, hash }) =>
    nothing((await workspace.files?.resolve(author(), blockId, keep, hash)) ?? noFolder),
};

const noFolder = err(refusal("FILE_NOT_FOUND", {}, noFolderWords));
