import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HeddleClient } from "../../../client/base/types.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { BlockId, RootId, RunId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { model } from "../../document/world.test-support.ts";
import { connectAgent, post, statelessCall, type OutsideAgent } from "./mcp.test-support.ts";

const closing: (() => unknown)[] = [];
let server: TestServer;
let person: HeddleClient;

beforeEach(async () => {
  server = await startTestServer({ welcome: false });
  closing.push(() => server.close());
  person = connectTestClient(server, { name: "Ada" });
  closing.push(() => person.close());
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function newCanvas(): Promise<BlockId> {
  return accept(await person.call("canvas.create", { title: "Notes", text: "one\ntwo\nthree\n" })).canvasId;
}

async function agent(era: "auto" | "legacy" = "auto"): Promise<OutsideAgent> {
  const connected = await connectAgent(server, { era });
  closing.push(() => connected.close());
  return connected;
}

async function textOf(canvasId: BlockId): Promise<string> {
  return accept(await server.workspace.hub.reader.read(canvasId)).text;
}

const patch = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";

test("I-05 the same patch gives the same text and hunks to each revision's clients and to a model's run; only the actor differs", async () => {
  const writers: ((canvasId: BlockId) => Promise<unknown>)[] = [];
  for (const era of ["auto", "legacy"] as const) {
    const outside = await agent(era);
    writers.push(async (canvasId) => {
      const { lease_id: lease } = await outside.call("canvas_check_out", { canvas_id: canvasId });
      const done = await outside.call("canvas_apply_patch", { lease_id: lease, patch });
      await outside.call("canvas_check_in", { lease_id: lease });
      return done;
    });
  }
  writers.push(async (canvasId) => {
    const call = async (name: string, parameters: object) => {
      const context = {
        rootId: "root" as RootId,
        runId: "run" as RunId,
        turnId: "turn" as TurnId,
        kind: "conversation" as const,
        actor: model("run", "turn"),
        canvasId,
        folderId: null,
        progress: () => {},
      };
      const order = { id: `call-${name}` as ToolCallId, name, parameters: parameters as never };
      return (await server.workspace.outsideTools.run(order, context, new AbortController().signal)).content;
    };
    const { lease_id: lease } = await call("canvas_check_out", {});
    return call("canvas_apply_patch", { lease_id: lease, patch });
  });
  const seen: object[] = [];
  const names: string[] = [];
  for (const write of writers) {
    const canvasId = await newCanvas();
    const { unit_id: _unit, ...answer } = (await write(canvasId)) as { readonly unit_id?: string };
    const [change] = await server.workspace.store.changes({ blockId: canvasId, afterVersion: 1 });
    seen.push({ answer, text: await textOf(canvasId), type: change?.body.type });
    names.push(change?.actor.name ?? "");
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
  expect(names).toEqual(["loom (unverified)", "An MCP client (unverified)", "scribe"]);
});

test("I-09 a person's words in the line of a late patch stay: it is merged beside them or refused with the actual lines", async () => {
  const canvasId = await newCanvas();
  const outside = await agent();
  const text = person.openText(canvasId);
  await until(text.header, (header) => header !== null);
  const { lease_id: lease } = await outside.call("canvas_check_out", { canvas_id: canvasId });
  await outside.call("canvas_read_all", { lease_id: lease });
  text.edit([{ from: 7, to: 7, insert: " and a half" }]);
  text.edit([{ from: 0, to: 0, insert: "zero\n" }]);
  await until(text.unconfirmed, (count) => count === 0);
  const answer = await outside.call("canvas_apply_patch", { lease_id: lease, patch });
  const after = await textOf(canvasId);
  expect(after).toContain("zero\n");
  expect(after).toContain(" and a half");
  if ("error" in answer) expect(answer).toMatchObject({ error: { code: "PATCH_REJECTED" } });
  else expect(after).toContain("TWO");
});

test("I-21 a call whose stream is closed before its commit changes nothing; I-22 the same call twice is two", async () => {
  const canvasId = await newCanvas();
  const { message, headers } = statelessCall("document_create", { title: "Late" });
  const release = Promise.withResolvers<void>();
  const { hub } = server.workspace;
  const held = hub.reader.hold(canvasId, async () => {
    await release.promise;
    return { ok: true as const, value: null };
  });
  const checkOut = statelessCall("canvas_check_out", { canvas_id: canvasId });
  const controller = new AbortController();
  const asked = post(server, checkOut.message, checkOut.headers, controller.signal);
  // The call waits in the document's queue by now: this answer comes after it was read.
  await (
    await post(server, statelessCall("document_list", {}).message, statelessCall("document_list", {}).headers)
  ).text();
  controller.abort();
  await expect(asked).rejects.toThrow();
  await (
    await post(server, statelessCall("document_list", {}).message, statelessCall("document_list", {}).headers)
  ).text();
  release.resolve();
  await held;
  await hub.reader.hold(canvasId, async () => ({ ok: true as const, value: null }));
  expect(server.workspace.leases.isHeld(canvasId)).toBe(false);

  for (const _time of [1, 2]) await (await post(server, message, headers)).text();
  expect((await server.workspace.canvases()).filter(({ title }) => title === "Late")).toHaveLength(2);
});

interface Called {
  readonly result: { readonly structuredContent: Readonly<Record<string, string>> };
}

test("I-22 a request whose answer was cut off answers as before when it is sent again, once; after an answer it is another call", async () => {
  const canvasId = await newCanvas();
  const { outsideTools } = server.workspace;
  const original = outsideTools.run.bind(outsideTools);
  const checkOut = statelessCall("canvas_check_out", { canvas_id: canvasId });
  const taken = (await (await post(server, checkOut.message, checkOut.headers)).json()) as Called;
  const { lease_id: lease } = taken.result.structuredContent;
  const { message, headers } = statelessCall("canvas_apply_patch", {
    lease_id: lease ?? "",
    patch: "@@ -3,1 +3,2 @@\n three\n+four\n",
  });
  const done = Promise.withResolvers<void>();
  const cut = Promise.withResolvers<void>();
  const spy = vi.spyOn(outsideTools, "run").mockImplementationOnce(async (call, context, signal) => {
    signal.addEventListener("abort", () => cut.resolve(), { once: true });
    const answer = await original(call, context, signal);
    done.resolve();
    await cut.promise;
    return answer;
  });
  const controller = new AbortController();
  const first = post(server, message, headers, controller.signal);
  first.catch(() => undefined);
  await done.promise;
  expect(await textOf(canvasId)).toBe("one\ntwo\nthree\nfour\n");
  controller.abort();
  await cut.promise;
  const again = (await (await post(server, message, headers)).json()) as Called;
  expect(again.result.structuredContent).toMatchObject({ applied_hunks: 1 });
  expect(await textOf(canvasId)).toBe("one\ntwo\nthree\nfour\n");
  expect(spy).toHaveBeenCalledTimes(1);
  await (await post(server, message, headers)).text();
  expect(spy).toHaveBeenCalledTimes(2);
});

test("I-12 where a person has to decide, nothing is done until then, and the same call learns what came of it", async () => {
  const canvasId = await newCanvas();
  const { rootId } = accept(await person.call("conversation.create", { canvasId }));
  accept(await person.call("conversation.rules", { rootId, approvals: "all" }));
  const outside = await agent();
  const ask = () => {
    const asked = { parent_id: rootId, text: "add a section on costs", client_request_id: "r1", wait_ms: 0 };
    return outside.call("conversation_ask", asked);
  };
  await expect.poll(ask).toMatchObject({
    state: "awaiting-approval",
    waiting_for: expect.stringContaining("AWAITING_APPROVAL") as string,
  });
  expect(await textOf(canvasId)).toBe("one\ntwo\nthree\n");
  for (;;) {
    const [run] = accept(await server.workspace.conversations.runStatuses(rootId));
    if (run?.state.type === "idle") break;
    if (run?.state.type !== "awaiting-approval") {
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const { callId, argumentsHash } = run.state.request;
    const given = { runId: run.runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
    accept(await person.call("approval.answer", given));
  }
  const text = await textOf(canvasId);
  expect(text).toContain("osts");
  expect(await ask()).toMatchObject({ state: "idle", text: "I added the section “Costs” at the end." });
  expect(await textOf(canvasId)).toBe(text);
});

test("I-25 Heddle gives no requestState out, and one that comes from outside decides nothing", async () => {
  const { message, headers } = statelessCall("conversation_ask", { parent_id: "nobody", text: "x" });
  const params = message["params"] as JsonObject;
  const forged = { ...params, requestState: "forged", inputResponses: { approved: { action: "accept", content: {} } } };
  const plain = (await (await post(server, message, headers)).json()) as Called;
  const answer = (await (await post(server, { ...message, params: forged }, headers)).json()) as Called;
  expect(answer.result.structuredContent).toEqual(plain.result.structuredContent);
  expect(answer.result.structuredContent).toMatchObject({ error: { code: "NODE_NOT_FOUND" } });
});
