import { expect, test } from "vitest";
import type { BlockId, FolderId, RootId } from "../../core/base/ids.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { Grant, GrantScope } from "../../core/protocol/base/grant.ts";
import { parameters } from "../../core/protocol/commands.test-support.ts";
import { commands, type CommandName } from "../../core/protocol/commands.ts";
import { readCommand } from "../../core/protocol/read-command.ts";
import { rights as tokenRights, type Right } from "../../core/rights/token-right.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import type { ChainPorts } from "./chains.ts";
import { reachOf } from "./reach.ts";
import { whyNotGranted } from "./why-not-granted.ts";

const folderId = "folder_1" as FolderId;
const rootId = "root_1" as RootId;
const canvasId = "doc/1/9" as BlockId;

/** A workspace in which every id that the parameters name exists, in one folder and one conversation; or none does. */
function ports(exists: boolean): ChainPorts {
  const found = <Value>(value: Value) => Promise.resolve(exists ? value : null);
  return {
    store: {
      root: (id) => found({ id, folderId, canvasId }),
      node: () => found({ rootId }),
      run: () => found({ rootId }),
      thread: () => found({ blockId: "doc/1/2" as BlockId }),
      block: (id) => found({ id, metadata: { path: "notes/a.md" } }),
    },
    folders: { folderOf: () => folderId },
  };
}

const nothing: GrantScope = { folderIds: [], rootIds: [], canvasIds: [] };
const scopes = {
  everything: null,
  "its folder": { ...nothing, folderIds: [folderId] },
  "another folder": { ...nothing, folderIds: ["folder_2" as FolderId] },
  nothing,
} as const;

function accessOf(name: CommandName): Access {
  const read = readCommand(name, parameters[name].good);
  if (!read.ok) throw new Error(read.error.message);
  return (commands[name].access as (params: unknown) => Access)(read.value.params);
}

const ask = (right: Right, scope: GrantScope | null, access: Access, exists = true) => {
  const grant: Grant = { id: "token_1", name: "T", rights: [right], scope };
  return whyNotGranted(grant, access, ports(exists));
};

test("A-09 A-26 every command × right × reach of a token is as the table of verbs says", async () => {
  for (const name of Object.keys(commands) as CommandName[]) {
    const access = accessOf(name);
    const [verb, resource] = access;
    const isOne = ["conversation", "node", "run", "block", "thread"].includes(resource.type);
    for (const right of tokenRights) {
      const mayIn = async (scope: GrantScope | null) => (await ask(right, scope, access))?.code ?? "yes";
      const allowed = verbRow(verb).token === right ? "yes" : "FORBIDDEN";
      expect([name, right, await mayIn(scopes.everything)]).toEqual([name, right, allowed]);
      expect([name, right, await mayIn(scopes["its folder"])]).toEqual([name, right, isOne ? allowed : "FORBIDDEN"]);
      const outside = isOne ? expect.stringMatching(/_NOT_FOUND$/) : "FORBIDDEN";
      expect([name, right, await mayIn(scopes["another folder"])]).toEqual([name, right, outside]);
      expect([name, right, await mayIn(scopes.nothing)]).toEqual([name, right, outside]);
    }
  }
});

test("A-02 the answer about a foreign object is the answer about one that does not exist, whatever the right", async () => {
  for (const name of Object.keys(commands) as CommandName[]) {
    const access = accessOf(name);
    for (const right of tokenRights) {
      const foreign = await ask(right, scopes["another folder"], access);
      expect([name, await ask(right, scopes["another folder"], access, false)]).toEqual([name, foreign]);
    }
  }
});

test("a scope's conversation brings its canvas; a document is reached through any folder above it", async () => {
  const document = (id: string) => ({ id: id as BlockId, metadata: {} });
  const ofTalk = await reachOf({ ...nothing, rootIds: [rootId] }, ports(true));
  expect([ofTalk.document(document("doc/1/9")), ofTalk.document(document("doc/1/2"))]).toEqual([true, false]);
  expect(ofTalk.conversation({ id: rootId })).toBe(true);
  expect(ofTalk.conversation({ id: "root_2" as RootId, folderId })).toBe(false);
  const ofFolder = await reachOf({ ...nothing, folderIds: [folderId] }, ports(true));
  expect(ofFolder.document(document("doc/1/2"))).toBe(true);
  expect(ofFolder.conversation({ id: "root_2" as RootId, folderId })).toBe(true);
  expect(ofFolder.conversation({ id: "root_2" as RootId })).toBe(false);
});
