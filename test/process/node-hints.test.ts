import { afterAll, beforeAll, expect, test } from "vitest";
import { natsProgram, RealNatsServer } from "../../src/adapters/hints/real-nats.test-support.ts";
import { TestNatsServer } from "../../src/adapters/hints/nats-server.test-support.ts";
import { must } from "../../src/core/base/assert.ts";
import { valueOf } from "../../src/testing/metrics-text.ts";
import type { NodeProcess } from "../cluster/nodes.ts";
import { connected, makeCanvases, opened, Team } from "../cluster/team.ts";
import { query } from "../cluster/history.ts";
import { until } from "../../src/testing/test-client.ts";

const ttlMs = 1_500;
const password = "s3cret";
const access = { user: "heddle", password };
const nats = "missing" in natsProgram ? new TestNatsServer(access) : new RealNatsServer(access);

let team: Team;
beforeAll(async () => {
  await nats.start();
  team = await Team.start(3, ttlMs, { HEDDLE_NATS_URL: `nats://heddle:${password}@127.0.0.1:${nats.port}` });
}, 120_000);
afterAll(async () => {
  await team.close();
  await (nats instanceof RealNatsServer ? nats.remove() : nats.stop());
});

async function metric(node: NodeProcess, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${team.token}` };
  return valueOf(await (await fetch(`${node.origin}/metrics`, { headers })).text(), `heddle_node_${name}`);
}

/** How often nodes found a change by looking by themselves. */
async function missed(nodes: readonly NodeProcess[]): Promise<number> {
  const counts = await Promise.all(nodes.map((node) => metric(node, 'hints_total{type="missed"}')));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Stops the owner in order; returns how often the others found what it changed by looking by themselves. */
async function missedInHandOver(): Promise<number> {
  const owner = await team.owner();
  const others = team.nodes.filter((node) => node !== owner);
  const before = await missed(others);
  expect(await owner.end("SIGTERM")).toBe(0);
  await team.owner();
  const count = (await missed(others)) - before;
  await owner.start();
  return count;
}

/** The least of up to three hand-overs: on a busy machine a look of each node's own may come between a change and its hint. */
async function leastMissedInHandOver(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < 3 && least > 1; tried += 1) least = Math.min(least, await missedInHandOver());
  return least;
}

async function listeners(): Promise<number> {
  const found = await query(team.url, "SELECT 1 FROM pg_stat_activity WHERE application_name = 'heddle listener'");
  return found.length;
}

/** Types through a node until the word is acknowledged. */
async function type(word: string): Promise<string> {
  const node = must(
    team.nodes.findLast(({ isRunning }) => isRunning),
    "a node runs",
  );
  const client = connected(() => team.at(node));
  const [canvasId] = await makeCanvases(team.at(node), 1);
  const text = await opened(client, must(canvasId, "a canvas is made"));
  text.edit([{ from: 0, to: 0, insert: word }]);
  await until(text.unconfirmed, (count) => count === 0, 20_000);
  client.close();
  return text.text();
}

test("N-20 N-24 nodes with hints by NATS hand over and take over, also while NATS is gone and when it is back", async ({
  annotate,
}) => {
  await annotate(
    `hints between nodes went by ${nats instanceof RealNatsServer ? "nats-server" : "the test's own NATS server"}`,
  );
  expect(await listeners()).toBe(0);
  expect(await leastMissedInHandOver()).toBeLessThanOrEqual(1);
  expect(await type("with hints")).toBe("with hints");

  await nats.stop();
  expect(await missedInHandOver()).toBeGreaterThan(1);
  const killed = await team.owner();
  const began = performance.now();
  await killed.end("SIGKILL");
  await team.owner();
  await annotate(`without NATS a node owned the workspace ${Math.round(performance.now() - began)} ms after the kill`);
  expect(await type("without hints")).toBe("without hints");
  await killed.start();
  for (const node of team.nodes) expect(await node.readiness()).toMatchObject({ status: "ready" });

  await nats.start();
  for (const node of team.nodes) await expect.poll(() => node.said, { timeout: 20_000 }).toContain("hints-back");
  expect(await leastMissedInHandOver()).toBeLessThanOrEqual(1);
  expect(await type("hints again")).toBe("hints again");
  for (const { said } of team.nodes) {
    expect(said).toContain(`"at":"nats://127.0.0.1:${nats.port}"`);
    expect(said).not.toContain(password);
  }
}, 180_000);
