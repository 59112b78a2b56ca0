import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectAgent } from "../../src/host/server/mcp/mcp.test-support.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { repository } from "../tidy/source-files.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: TestServer;
let process_: ServerProcess;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  const program = join(repository, "src/host/outside-agents/scripted-agent.test-support.ts");
  const agents = { loom: { name: "Loom", command: process.execPath, args: [program] } };
  await writeFile(join(folder.path, "agents.json"), JSON.stringify({ agents }));
  [browser, server, process_] = await Promise.all([
    launchBrowser(),
    startTestServer(),
    startServerProcess({ dataDirectory: folder.path, env: { HEDDLE_MODEL: "agent/loom" } }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await process_?.stop();
  await folder?.remove();
});

async function picture(page: Page, name: string): Promise<void> {
  const pictures = process.env["HEDDLE_SCREENSHOTS"];
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/outside-agent-${name}.png` });
}

test("18 an agent of another program is seen at work in a canvas, and blame names it", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 900 } });
  const { page } = app;
  const loom = await connectAgent(server, { name: "Loom" });
  const [canvas] = await server.workspace.canvases();
  const held = await loom.call("canvas_check_out", { canvas_id: canvas?.id ?? "" });
  await page.getByText("Loom (unverified)").first().waitFor();
  await picture(page, "at-work");
  expect(await violations(page)).toEqual([]);
  const { lease_id: lease } = held;
  const written = await loom.call("canvas_edit", {
    lease_id: lease,
    edits: [{ search: "## Notes", text: "## Notes of Loom" }],
  });
  expect(written["error"]).toBeUndefined();
  await page.getByText("## Notes of Loom").waitFor();
  await loom.call("canvas_check_in", { lease_id: lease });
  await page.getByText("## Notes of Loom").click();
  await page.keyboard.press("Control+Alt+B");
  const card = page.getByRole("dialog", { name: /^Why line \d+ is here$/ });
  await expect.poll(() => card.textContent()).toContain("Loom");
  await picture(page, "blame");
  await loom.close();
  await context.close();
});

test("18 what an agent of another program may not do by itself is asked of a person", async () => {
  const { app, context } = await openApp(browser, process_.url, { viewport: { width: 1280, height: 900 } });
  const { page } = app;
  const steps = [
    { do: "ask", id: "c1", title: "Run the tests of the loom", kinds: ["reject_once", "allow_once"] },
    { do: "update", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "All done." } } },
    { do: "end", stopReason: "end_turn" },
  ];
  await app.send(JSON.stringify(steps));
  await page.getByText("Run the tests of the loom").first().waitFor();
  await page
    .getByRole("button", { name: /^Allow/ })
    .first()
    .waitFor();
  await picture(page, "permission");
  expect(await violations(page)).toEqual([]);
  await page
    .getByRole("button", { name: /^Allow/ })
    .first()
    .click();
  await page.getByText("All done.").first().waitFor();
  await expect.poll(() => page.locator("main, .page").first().textContent()).toContain("[c1: allow_once]");
  await context.close();
});
