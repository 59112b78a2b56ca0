import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { buildCatalogue } from "../../adapters/providers/catalogue.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { startServer, type HeddleServer } from "./server.ts";

let workspace: Workspace;
let server: HeddleServer;
let isLate = false;

beforeEach(async () => {
  isLate = false;
  const platform = systemPlatform("error", () => {});
  workspace = await openWorkspace({
    store: openMemoryStore(),
    catalogue: buildCatalogue({}, { fetch, clock: platform.clock, sleep: () => Promise.resolve() }),
    platform,
    cwd: process.cwd(),
    welcome: false,
  });
  server = await startServer({
    workspace,
    token: "a-token-of-a-test",
    appFolder: import.meta.dirname,
    host: "127.0.0.1",
    port: 0,
    defaultName: "Ada",
    inCluster: {
      isLate: () => isLate,
      readiness: () => ({ isReady: !isLate, facts: { owns: true } }),
    },
  });
});
afterEach(async () => {
  await server.close();
  await workspace.close();
});

test("N-15 N-47 a node whose time has run out answers nothing from memory, and says that it is not ready", async () => {
  const headers = { authorization: "Bearer a-token-of-a-test" };
  const ask = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await ask("/api/conversations")).toMatchObject({ status: 200 });
  expect(await ask("/readyz")).toEqual({ status: 200, body: { status: "ready", owns: true } });
  isLate = true;
  expect(await ask("/api/conversations")).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
  expect(await ask("/readyz")).toEqual({ status: 503, body: { status: "not-ready", owns: true } });
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
  const refused = await new Promise((resolve) => socket.once("error", (problem) => resolve(String(problem))));
  expect(refused).toContain("503");
  isLate = false;
  expect(await ask("/api/conversations")).toMatchObject({ status: 200 });
});
