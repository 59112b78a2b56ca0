import { afterAll, beforeAll, expect, test } from "vitest";
import type { BlockId, NodeId, RootId, RunId, ThreadId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { HeddleClient } from "../../client/base/types.ts";
import { parameters } from "../../core/protocol/commands.test-support.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import { commands, type CommandName } from "../../core/protocol/commands.ts";
import { isAtLeast, roles, type Role } from "../../core/rights/role.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

// Every command as each role, through a real server: over HTTP, and over a WebSocket. What each may is the table's word.

/** What the objects of the parameters are in the server. */
interface World {
  readonly canvasId: BlockId;
  readonly rootId: RootId;
  readonly nodeId: NodeId;
  readonly runId: RunId;
  readonly threadId: ThreadId;
}

let team: TestTeam;
let ada: HeddleClient;
const clients = new Map<string, HeddleClient>();
const names = Object.keys(commands) as readonly CommandName[];
const people = ["nobody", ...roles] as const;

beforeAll(async () => {
  team = await startTestTeam();
  ada = team.connect("ada");
  await team.add("nobody");
  for (const role of roles) await team.add(role, role);
  for (const id of people) clients.set(id, team.connect(id));
});
afterAll(async () => {
  for (const client of clients.values()) client.close();
  ada.close();
  await team.server.close();
});

async function newWorld(): Promise<World> {
  const { canvasId } = accept(await ada.call("canvas.create", { title: "Looms", text: "warp\n" }));
  const { rootId } = accept(await ada.call("conversation.create", { title: "Talk" }));
  const sent = accept(await ada.call("message.send", { rootId, parentNodeId: null, text: "Hello" }));
  const { thread } = accept(await ada.call("comment.add", { blockId: canvasId, text: "Why?" }));
  return { canvasId, rootId, nodeId: sent.nodeId as NodeId, runId: sent.runId, threadId: thread.id };
}

/** The good parameters of a command, about the objects of a world. */
function paramsIn(name: CommandName, world: World): Record<string, unknown> {
  const { canvasId, rootId, nodeId, runId, threadId } = world;
  const ids: Readonly<Record<string, string>> = {
    rootId,
    nodeId,
    runId,
    threadId,
    canvasId,
    blockId: canvasId,
  };
  const given: Record<string, unknown> = { ...parameters[name].good };
  for (const key of Object.keys(given)) {
    const id = ids[key];
    if (id !== undefined && given[key] !== null) given[key] = id;
  }
  // What names a further object is left to the tests of the objects that a request names.
  if ("on" in given) given["on"] = { type: "document", id: canvasId };
  if (name === "comment.paste") given["from"] = { blockId: canvasId, units: given["units"] };
  return given;
}

function verbOf(name: CommandName, params: object): Access {
  return (commands[name].access as (given: object) => Access)(params);
}

/** These are refused to everybody in a team, or judge what they name by further questions. */
const apart: ReadonlySet<CommandName> = new Set<CommandName>([
  "conversation.for-settings",
  "webhook.create",
  "turn.undo",
  "turn.redo",
  "trash.restore",
  "trash.purge",
]);

/** What the parameters ask for besides: a move needs what the place of both ends needs. */
const needsMore: Partial<Record<CommandName, Role>> = { "canvas.arrange": "owner", "canvas.move-folder": "owner" };

const overHttp = async (who: string, name: CommandName, params: object): Promise<string> => {
  const init = { method: "POST", body: JSON.stringify(params) };
  const { error } = (await (await team.fetch(who, `/api/commands/${name}`, init)).json()) as {
    readonly error?: { readonly code: string; readonly message: string };
  };
  // A server that has no settings of models refuses them to everybody, in other words.
  if (error?.code === "FORBIDDEN" && !error.message.startsWith("Your role")) return `not here: ${error.message}`;
  return error?.code ?? "yes";
};
const overSocket = async (who: string, name: CommandName, params: object): Promise<string> => {
  const answer = await clients.get(who)?.call(name, params);
  return answer?.ok === true ? "yes" : (answer?.error.code ?? "none");
};

test("A-01 A-09 every command that a role is not enough for is refused, and hidden without one, over HTTP and WebSocket", async () => {
  const world = await newWorld();
  const wrong: unknown[] = [];
  let asked = 0;
  for (const name of names) {
    if (apart.has(name)) continue;
    const params = paramsIn(name, world);
    const [verb, resource] = verbOf(name, params);
    const needed = verbRow(verb);
    for (const who of people) {
      const role: Role | null = who === "nobody" ? null : who;
      if (isAtLeast(role, needed.role) || (role === null && needed.account)) continue;
      const isOne = !["workspace", "turn", "tool", "folder-path"].includes(resource.type);
      for (const ask of [overHttp, overSocket]) {
        const code = await ask(who, name, params);
        const isHidden = role === null && (isOne || typeof params["canvasId"] === "string");
        const isRight = isHidden ? code.endsWith("_NOT_FOUND") : code === "FORBIDDEN";
        asked += 1;
        if (!isRight) wrong.push([name, who, ask.name, code]);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(asked).toBeGreaterThan(500);
});

test("A-01 A-09 every command is let through for the lowest role of its verb", async () => {
  const wrong: unknown[] = [];
  for (const name of names) {
    if (apart.has(name)) continue;
    const params = paramsIn(name, await newWorld());
    const who = needsMore[name] ?? verbRow(verbOf(name, params)[0]).role;
    const code = await overHttp(who, name, params);
    // What else may be wrong with the request is not a matter of rights.
    if (["FORBIDDEN", "UNAUTHENTICATED", "REAUTHENTICATE"].includes(code)) wrong.push([name, who, code]);
  }
  expect(wrong).toEqual([]);
}, 120_000);

test("A-02 a foreign object is answered as a missing one by every command that names one, byte for byte", async () => {
  const world = await newWorld();
  const wrong: unknown[] = [];
  for (const name of names) {
    const foreign = paramsIn(name, world);
    const [, resource] = verbOf(name, foreign);
    if (!("id" in resource) || apart.has(name)) continue;
    const id = resource.id as string;
    const missing = `${id.slice(0, -1)}${id.endsWith("9") ? "8" : "9"}`;
    const read = async (params: string): Promise<string> => {
      const answer = await team.fetch("nobody", `/api/commands/${name}`, { method: "POST", body: params });
      return `${answer.status} ${await answer.text()}`;
    };
    const text = JSON.stringify(foreign);
    const [one, other] = [await read(text), await read(text.replaceAll(id, missing))];
    if (one.replaceAll(id, missing) !== other) wrong.push([name, one, other]);
  }
  expect(wrong).toEqual([]);
});
