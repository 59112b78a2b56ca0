import { ok } from "../../core/base/result.ts";
import type { searchCommands } from "../../core/protocol/command/search.ts";
import { findAll } from "./base/find-all.ts";
import { findWords } from "./base/find-words.ts";
import type { Performs } from "./base/call.ts";

export const performSearch: Performs<keyof typeof searchCommands> = {
  "search.all": async ({ workspace, reach }, params) => ok({ finds: [...(await findAll(workspace, params, reach))] }),
  "search.words": async ({ workspace, reach }, params) =>
    ok({ matches: await findWords(workspace.store, params, reach) }),
};
