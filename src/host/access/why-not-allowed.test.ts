import { expect, test } from "vitest";
import type { BlockId, FolderId, PersonId, RootId } from "../../core/base/ids.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { Grant, GrantScope } from "../../core/protocol/base/grant.ts";
import { parameters } from "../../core/protocol/commands.test-support.ts";
import { commands, type CommandName } from "../../core/protocol/commands.ts";
import { readCommand } from "../../core/protocol/read-command.ts";
import { rights as tokenRights, type Right } from "../../core/rights/token-right.ts";
import { decide } from "../../core/rights/decide.ts";
import { conversationKey, documentKey, folderKey, workspaceKey, type ObjectKey } from "../../core/rights/object-key.ts";
import { noRights, withRows } from "../../core/rights/rights.ts";
import { isAtLeast, roles, type Role } from "../../core/rights/role.ts";
import { subjectKey } from "../../core/rights/subject.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import type { Member } from "./member.ts";
import type { ChainPorts } from "./chains.ts";
import { reachOf } from "./reach.ts";
import { whyNotAllowed } from "./why-not-allowed.ts";

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
  return whyNotAllowed({ grant }, access, ports(exists));
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

const ada = "ada" as PersonId;
const now = 1_000_000;

function member(object: ObjectKey, role: Role, closed: readonly ObjectKey[] = []): Member {
  const subject = subjectKey({ type: "person", id: ada });
  const rights = withRows(noRights, [
    { type: "person", id: ada, name: "Ada", ended: false },
    { type: "share", object, subject, role },
    ...closed.map((each) => ({ type: "object", object: each, inherits: false }) as const),
  ]);
  const keeper: Member["keeper"] = {
    rights,
    decide: (asker, question) => decide(rights, asker, { ...question, now }),
  };
  return { id: ada, keeper, authenticatedAt: now };
}

test("A-01 A-09 every command × role × place of the role, for people, is as the table of verbs says", async () => {
  for (const name of Object.keys(commands) as CommandName[]) {
    const access = accessOf(name);
    const [verb, resource] = access;
    const needed = verbRow(verb);
    const isOne = ["conversation", "node", "run", "block", "thread"].includes(resource.type);
    // What a turn changed is tried with real documents.
    if (resource.type === "turn") continue;
    const may = async (who: Member, exists = true) =>
      (await whyNotAllowed({ member: who }, access, ports(exists)))?.code ?? "yes";
    for (const role of roles) {
      const said = (code: string): readonly string[] => [name, role, code];
      const allowed = isAtLeast(role, needed.role) ? "yes" : "FORBIDDEN";
      const elsewhere = isOne ? expect.stringMatching(/_NOT_FOUND$/) : needed.account ? "yes" : "FORBIDDEN";
      expect(said(await may(member(workspaceKey, role)))).toEqual(said(allowed));
      expect(said(await may(member(folderKey(folderId), role)))).toEqual(said(isOne ? allowed : elsewhere));
      expect(said(await may(member(folderKey("folder_2" as FolderId), role)))).toEqual(said(elsewhere));
      const closed = isOne ? [folderKey(folderId)] : [];
      expect(said(await may(member(workspaceKey, role, closed)))).toEqual(said(isOne ? elsewhere : allowed));
    }
  }
});

test("A-02 people get the same answer about a foreign object and about none", async () => {
  const stranger = member(documentKey("doc/9/9" as BlockId), "owner");
  for (const name of Object.keys(commands) as CommandName[]) {
    const access = accessOf(name);
    if (access[1].type === "turn") continue;
    const answer = (exists: boolean) => whyNotAllowed({ member: stranger }, access, ports(exists));
    expect([name, await answer(true)]).toEqual([name, await answer(false)]);
  }
});

test("a block of a conversation and a sub-agent's conversation are judged as the conversation", async () => {
  const store = {
    ...ports(true).store,
    block: async (id: BlockId) => ({ id, metadata: {}, kind: "text", documentId: "root_2" }),
    root: async (id: RootId) => ({ id, canvasId: null, ...(id === "root_2" && { parent: { rootId } }) }),
  } as unknown as ChainPorts["store"];
  const access: Access = ["document.read", { type: "block", id: "root_2/1/1" as BlockId }];
  const asked = (who: Member) => whyNotAllowed({ member: who }, access, { ...ports(true), store });
  expect(await asked(member(conversationKey(rootId), "viewer"))).toBeNull();
  expect((await asked(member(workspaceKey, "owner", [conversationKey(rootId)])))?.code).toBe("BLOCK_NOT_FOUND");
});
