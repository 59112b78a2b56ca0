import { join } from "node:path";
import { tmpdir } from "node:os";
import { openFolderTree } from "../../adapters/files/folder-tree.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { openMemoryStore, type MemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { FolderId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { isTextBlock } from "../../core/message/guards.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { connectHeddle } from "../../client/connect.ts";
import type { ClientPlatform, HeddleClient, ConversationView, RunView } from "../../client/base/types.ts";
import type { Store } from "../../core/port/store.ts";
import { plainOpener } from "../../testing/plain-opener.ts";
import { connectTestClient, until } from "../../testing/test-client.ts";
import { startServer } from "../server/server.ts";
import { begin, openSocketOf, testAccounts } from "../server/team.test-support.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { OutsideAgents } from "./outside-agents.ts";
import type { AgentStep } from "./scripted-agent.test-support.ts";

/** The token of the workspace. */
const agentsToken = "test-token-0123456789";

const closers: (() => Promise<void>)[] = [];

/** Closes everything that a test opened; for `afterEach`. */
export async function closeAgents(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

export interface AgentsWorld {
  readonly heddle: HeddleClient;
  readonly rootId: RootId;
  /** What a store in memory holds, for a Heddle that is started after this one. */
  image(): ReturnType<MemoryStore["image"]>;
  /** Connects a person of the team. */
  as(id: string): HeddleClient;
  readonly folderId: FolderId | null;
  readonly url: string;
  /** Sends steps, or words, and returns without waiting. */
  send(steps: readonly AgentStep[] | string): Promise<void>;
  /** Resolves with the run once it is in one of these states. */
  run(...states: readonly RunView["state"]["type"][]): Promise<RunView>;
  view(): ConversationView;
  /** The messages of the branch in short: `user`, `text:…`, `call:…`, `ok:…`. */
  path(): readonly string[];
}

/** Starts a server with the scripted agent as its model, and a conversation with it in a folder. */
export async function agentsWorld(
  filesFolder?: string,
  env: Readonly<Record<string, string>> = {},
  recordsFile: string | null = null,
  {
    command = process.execPath,
    args = [join(import.meta.dirname, "scripted-agent.test-support.ts")],
    boundMs = 10_000,
    before,
    store: given,
    people,
    port = 0,
  }: {
    readonly command?: string;
    readonly args?: readonly string[];
    readonly boundMs?: number;
    /** What an earlier Heddle left in its store, and the conversation to go on with. */
    readonly before?: { readonly image: ReturnType<MemoryStore["image"]>; readonly rootId: RootId };
    readonly store?: Store;
    /** Ids of further owners of a team, which Ada began; absent: Ada alone, without a team. */
    readonly people?: readonly string[];
    readonly port?: number;
  } = {},
): Promise<AgentsWorld> {
  const platform = { ...systemPlatform(), logger: { info: () => {}, warn: () => {}, error: () => {} } };
  const agents = new OutsideAgents({
    agents: [{ id: "scripted", name: "Scripted", command: process.execPath, args: [], env }],
    program: (_, cwd) => ({ command, args, env: { PATH: process.env["PATH"] ?? "", ...env }, cwd }),
    version: "1.2.3",
    recordsFile,
    home: tmpdir(),
    mcp: { command: "heddle", args: ["mcp"] },
  });
  const memory = openMemoryStore(before?.image);
  const store = given ?? memory;
  const workspace = await openWorkspace({
    store,
    catalogue: agents.over({ list: () => [], find: () => undefined }),
    platform,
    cwd: tmpdir(),
    folders: plainOpener(platform.clock),
    outsideAgents: agents,
    welcome: false,
    team: people !== undefined,
    ...(filesFolder === undefined ? {} : { files: await openFolderTree(filesFolder, platform.clock) }),
  });
  const { team, tokens } = workspace;
  if (team !== null) {
    const { add } = await begin(team);
    for (const id of people ?? []) await add(id, "owner");
  }
  const server = await startServer({
    workspace,
    ...(team === null ? {} : { accounts: testAccounts(team, tokens).accounts }),
    token: agentsToken,
    appFolder: join(import.meta.dirname, "../../../dist/web"),
    host: "127.0.0.1",
    port,
    defaultName: "Ada",
  });
  agents.listening(server.url);
  const as = (id: string): HeddleClient => {
    const openSocket: ClientPlatform["openSocket"] = (url, listener) => openSocketOf(id, url, listener);
    return connectHeddle({
      url: server.url,
      token: "",
      clientId: `client-of-${id}-0123456789`,
      platform: { openSocket },
    });
  };
  const heddle = people === undefined ? connectTestClient({ url: server.url, token: agentsToken }) : as("ada");
  closers.push(async () => {
    heddle.close();
    await server.close();
    await workspace.close();
  });
  await until(heddle.state, ({ type }) => type === "live");
  const created = before ?? accept(await heddle.call("conversation.create", { model: "agent/scripted" }));
  const { rootId } = created;
  const watched = heddle.conversation(rootId);
  watched.subscribe(() => undefined);
  await until(watched, (view) => view !== null);
  const view = (): ConversationView => {
    const now = watched.get();
    if (now === null) throw new Error("no view");
    return now;
  };
  const head = (): RunView | undefined => view().runs.at(-1);
  return {
    heddle,
    rootId,
    image: () => memory.image(),
    url: server.url,
    as,
    folderId: workspace.folders.defaultId,
    view,
    send: async (steps) => {
      const text = typeof steps === "string" ? steps : JSON.stringify(steps);
      const parentNodeId = head()?.headNodeId ?? null;
      const sent = await heddle.call("message.send", { rootId, parentNodeId, text });
      if (!sent.ok) throw new Error(sent.error.message);
      await until(
        watched,
        (now) => now?.runs.some(({ runId, turnId }) => runId === sent.value.runId && turnId !== null) === true,
      );
    },
    run: async (...states) => {
      const found = await until(
        watched,
        (now) => {
          const state = now?.runs.at(-1)?.state.type;
          return state !== undefined && states.includes(state);
        },
        boundMs,
      );
      const run = found?.runs.at(-1);
      if (run === undefined) throw new Error("no run");
      return run;
    },
    path: () => {
      const { nodesById } = view();
      const path: ForestNode[] = [];
      for (let id = head()?.headNodeId ?? null; id !== null;) {
        const node = nodesById.get(id);
        if (node === undefined) break;
        path.unshift(node);
        id = node.parentId;
      }
      return path.flatMap(shortOf);
    },
  };
}

function shortOf({ message }: ForestNode): readonly string[] {
  switch (message.role) {
    case "user":
      return ["user"];
    case "tool":
      return [
        `${message.outcome}:${message.content.map((block) => (isTextBlock(block) ? block.text : block.type)).join("")}`,
      ];
    case "system":
      return [];
    case "assistant":
      return message.content.map((block) => {
        if (block.type === "tool-use") return `call:${block.name}`;
        return `${block.type}:${"text" in block ? block.text : ""}`;
      });
  }
}
