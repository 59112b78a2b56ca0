import { ok } from "../../core/base/result.ts";
import type { searchCommands } from "../../core/protocol/command/search.ts";
import { findWords } from "./find-words.ts";
import type { Performs } from "./call.ts";

export const performSearch: Performs<keyof typeof searchCommands> = {
  "search.words": async ({ workspace }, params) => ok({ matches: await findWords(workspace.store, params) }),
};
