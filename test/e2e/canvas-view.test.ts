import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ActorId } from "../../src/core/base/ids.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { connectAgent, type OutsideAgent } from "../../src/host/server/mcp/mcp.test-support.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;
let agent: OutsideAgent;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer()]);
  agent = await connectAgent(server, { name: "host" });
});

afterAll(async () => {
  await agent.close();
  await browser.close();
  await server.close();
});

async function author() {
  const ada = { type: "person", id: "ada" as ActorId, name: "Ada" } as const;
  return server.workspace.author(ada, await server.workspace.replicas.forClient("page", ada));
}

/** A host of MCP Apps: shows the view in a frame of no origin, and calls tools for it. */
const hostPage = `<!doctype html><meta charset="utf-8"><iframe id="view" sandbox="allow-scripts" style="width:600px;height:400px"></iframe>
<script>
  const frame = document.getElementById("view");
  window.shown = [];
  addEventListener("message", async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    window.shown.push(data.method);
    const answer = (result) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id: data.id, result }, "*");
    if (data.method === "ui/initialize") answer({ protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" }, hostCapabilities: {}, hostContext: {} });
    else if (data.method === "tools/call") answer(await window.callTool(data.params));
    else if (data.method === "ui/notifications/initialized")
      frame.contentWindow.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: window.opened }, "*");
  });
</script>`;

test("I-31 the canvas view shows a document in a host, edits it under a lease by tool calls alone, reports a refusal, and shows who works and what waits", async () => {
  const [canvas] = await server.workspace.canvases();
  const canvasId = canvas?.id ?? "";
  const [view] = (await agent.client.readResource({ uri: "ui://heddle/canvas" })).contents;
  const html = view !== undefined && "text" in view ? view.text : "";
  const page = await browser.newPage();
  const outside: string[] = [];
  page.on("request", (request) => outside.push(request.url()));
  await page.exposeFunction("callTool", (params: { readonly name: string; readonly arguments: JsonObject }) =>
    agent.client.callTool(params),
  );
  await page.setContent(hostPage);
  await page.evaluate(
    ([opened, source]) => {
      Object.assign(globalThis, { opened });
      document.querySelector("iframe")?.setAttribute("srcdoc", source);
    },
    [await agent.client.callTool({ name: "open_canvas", arguments: { canvas_id: canvasId } }), html] as const,
  );
  const frame = page.frameLocator("#view");
  await frame.getByText("Welcome to Heddle").waitFor();
  const pictures = process.env["HEDDLE_SCREENSHOTS"];
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/canvas-view.png` });
  await frame.getByRole("button", { name: "Edit" }).click();
  const draft = frame.getByRole("textbox", { name: "Text of the canvas" });
  await draft.waitFor();
  const before = await draft.inputValue();
  await draft.fill(before.replace("# Welcome to Heddle", "# Welcome, weavers"));
  await frame.getByRole("button", { name: "Save" }).click();
  await frame.locator("pre").getByText("# Welcome, weavers").waitFor();
  const { text } = accept(await server.workspace.hub.reader.read(canvasId as never));
  expect(text.trimEnd()).toBe(before.replace("# Welcome to Heddle", "# Welcome, weavers").trimEnd());
  expect(server.workspace.leases.isHeld(canvasId as never)).toBe(false);

  await frame.getByRole("button", { name: "Edit" }).click();
  await draft.waitFor();
  accept(await server.workspace.leases.takeControl(canvasId as never));
  await draft.fill("lost?");
  await frame.getByRole("button", { name: "Save" }).click();
  await frame.getByText("Your text is still here.").waitFor();
  await expect.poll(() => draft.inputValue()).toBe("lost?");
  await frame.getByRole("button", { name: "Cancel" }).click();

  // Who is at work, and what waits for a review, is seen within a refresh; control is taken of an agent with the same token.
  accept(await server.workspace.hub.editor.setPolicy(await author(), canvasId as never, "suggest"));
  const { lease_id: lease } = await agent.call("canvas_check_out", { canvas_id: canvasId });
  const patch = "@@ -1,1 +1,1 @@\n-# Welcome, weavers\n+# Welcome, spinners\n";
  expect(await agent.call("canvas_apply_patch", { lease_id: lease, patch })).toMatchObject({ suggested_hunks: 1 });
  await frame.getByText("host (unverified) is working · Edits are reviewed").waitFor();
  const review = frame.getByRole("region", { name: "Suggestions" });
  // What was written after control was taken may wait there, too.
  await review.getByText(/suggestions? waits? for review in Heddle/).waitFor();
  await review.getByText("+ # Welcome, spinners").waitFor();
  await frame.getByRole("button", { name: "Take control" }).click();
  await frame.getByText("You have control").waitFor();
  expect(await agent.code("canvas_read_all", { lease_id: lease })).toBe("STALE_EPOCH");
  expect(outside.filter((url) => url.startsWith("http"))).toEqual([]);
});
