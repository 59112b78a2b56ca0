import { expect, test } from "vitest";
import { startTestServer } from "../../src/testing/test-server.ts";
import { runCrowd } from "./crowd.ts";

test("outside agents and people write one canvas at once: nothing is lost, and everything has its author", async () => {
  const server = await startTestServer({ welcome: false });
  const report = await runCrowd(server, { agents: 5, people: 3, seconds: 2 });
  await server.close();
  expect(report.lost).toEqual([]);
  expect(report.misattributed).toEqual([]);
  expect(report.edits).toBeGreaterThan(0);
  expect(report.words).toBeGreaterThan(10);
});
