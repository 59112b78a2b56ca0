import type { Mutant } from "./mutant.ts";

const once = "src/host/base/once.test.ts";
const everyCommand = "src/host/command/every-command-once.test.ts";
const deletion = "src/host/workspace/deleted-conversation.test.ts";

/** Defects of taking effect once. */
export const mutants: readonly Mutant[] = [
  {
    name: "a repeat does not wait for the request that is carried out",
    file: "src/host/base/once.ts",
    search: "    this.#underWayByKey.set(key, { paramsHash, answer });\n",
    replacement: "",
    test: once,
    only: "C-38",
  },
  {
    name: "another request under a used id gets the first one's answer",
    file: "src/host/base/once.ts",
    search: "return before.paramsHash === paramsHash ? ok(before.answer as Answer) : err(reused(requestId));",
    replacement: "return ok(before.answer as Answer);",
    test: once,
    only: "other parameters",
  },
  {
    name: "two clients share their request ids",
    file: "src/host/base/once.ts",
    search: "    const { clientId, requestId } = request;\n    const key",
    replacement: '    const { requestId } = request;\n    const clientId = "everybody";\n    const key',
    test: "src/host/server/api/request-ids.test.ts",
    only: "two pages",
  },
  {
    name: "the record of a renaming is not in the transaction of the renaming",
    file: "src/host/conversation/command/message-commands.ts",
    search: '[{ type: "put-root", root }, ...remember({}, root.id)]',
    replacement: '[{ type: "put-root", root }]',
    test: everyCommand,
    only: "conversation.rename",
  },
  {
    name: "the records of requests outlive their conversation",
    file: "src/adapters/storage/sqlite/tables/deleted-conversations.ts",
    search: '  "DELETE FROM requests WHERE conversation_id = ?1",\n',
    replacement: "",
    test: deletion,
    only: "SQLite",
  },
];
