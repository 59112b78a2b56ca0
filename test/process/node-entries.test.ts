import { request } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { RequestId } from "../../src/core/base/ids.ts";
import { valueOf } from "../../src/testing/metrics-text.ts";
import { until } from "../../src/testing/test-client.ts";
import { connected, makeCanvases, opened, Team, type Place } from "../cluster/team.ts";
import type { NodeProcess } from "../cluster/nodes.ts";
import { repository } from "../tidy/source-files.ts";

const ttlMs = 1_500;

let team: Team;
beforeAll(async () => {
  team = await Team.start(2, ttlMs);
}, 120_000);
afterAll(() => team.close());

async function both(): Promise<{ readonly owner: NodeProcess; readonly other: NodeProcess }> {
  const owner = await team.owner();
  return {
    owner,
    other: must(
      team.nodes.find((node) => node !== owner),
      "there are two nodes",
    ),
  };
}

const headers = (place: Place) => ({ authorization: `Bearer ${place.token}` });

test("N-36 what is uploaded through one node is read through the other; an upload that breaks off is absent", async () => {
  const { owner, other } = await both();
  const body = Buffer.from("a picture's worth of words");
  const put = await fetch(`${other.origin}/api/blobs`, { method: "POST", headers: headers(team.at(other)), body });
  const { id } = (await put.json()) as { id: string };
  for (const node of [owner, other]) {
    const read = await fetch(`${node.origin}/api/blobs/${id}`, { headers: headers(team.at(node)) });
    expect(Buffer.from(await read.arrayBuffer()).equals(body)).toBe(true);
  }
  const half = request(`${other.origin}/api/blobs`, {
    method: "POST",
    headers: { ...headers(team.at(other)), "content-length": "1000000", "content-type": "application/octet-stream" },
  });
  half.on("error", () => {});
  half.write(Buffer.alloc(200_000, "half"));
  await delay(200);
  half.destroy();
  await delay(200);
  const whole = Buffer.alloc(200_000, "half");
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", whole)).toString("hex");
  const read = await fetch(`${owner.origin}/api/blobs/${hash}`, { headers: headers(team.at(owner)) });
  expect(read.status).toBe(404);
});

test("every metric that the documentation names for nodes is there, and moves", async () => {
  const { owner, other } = await both();
  const read = async (node: NodeProcess): Promise<string> =>
    (await fetch(`${node.origin}/metrics`, { headers: headers(team.at(node)) })).text();
  const page = readFileSync(join(repository, "docs/observing.md"), "utf8");
  const named = [...page.matchAll(/^\| `(heddle_node_\w+[a-z])`/gm)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(10);
  // What is asked of an owner that is stopped lies in its socket until it goes on.
  owner.signal("SIGSTOP");
  const asked = fetch(`${owner.origin}/api/roots`, { headers: headers(team.at(owner)) });
  await expect.poll(async () => (await other.readiness())?.owns, { timeout: 20_000 }).toBe(true);
  owner.signal("SIGCONT");
  await asked.catch(() => {});
  await expect.poll(() => owner.isReady(), { timeout: 20_000 }).toBe(true);
  await makeCanvases(team.at(owner), 1);
  const texts = await Promise.all([owner, other].map(read));
  for (const name of named) for (const text of texts) expect(text).toContain(`# TYPE ${name} `);
  const total = (metric: string): number =>
    texts.reduce((sum, text) => sum + valueOf(text, `heddle_node_${metric}`), 0);
  const moved = [
    'claim{state="serving"}',
    'renewals_total{outcome="in-time"}',
    "reaps_total",
    "take_over_seconds_count",
    'clients_total{way="here"}',
    'clients_total{way="passed-on"}',
    'link_bytes_total{direction="in"}',
    'link_bytes_total{direction="out"}',
    'hints_total{type="sent"}',
    "commit_seconds_count",
    "commits_in_transaction_sum",
    "pauses_told_total",
  ];
  expect(moved.filter((metric) => total(metric) === 0)).toEqual([]);
  expect(total('claim{state="serving"}')).toBe(1);
}, 90_000);

test("N-23 a token that nobody gave is refused through every node, by the owner", async () => {
  const answers = await Promise.all(
    team.nodes.map(async ({ origin }) => {
      const answer = await fetch(`${origin}/api/roots`, { headers: { authorization: "Bearer made-up-0123456789" } });
      return [answer.status, await answer.text()];
    }),
  );
  expect(answers[0]?.[0]).toBe(401);
  expect(answers[1]).toEqual(answers[0]);
});

test("N-09 a process that runs from a copy of a node's data folder takes its place; the earlier one ends with words, and the later one stays", async () => {
  const { other } = await both();
  const copy = await team.copyOf(other);
  await copy.start();
  try {
    await expect.poll(() => other.isRunning, { timeout: 20_000 }).toBe(false);
    expect(other.said).toContain("Another process runs as this node: it has a copy of this data folder.");
    const { incarnation } = must(await copy.readiness(), "the later process answers");
    await delay(2 * ttlMs);
    expect(await copy.readiness()).toMatchObject({ status: "ready", incarnation });
  } finally {
    await copy.end("SIGTERM");
    await other.start();
  }
}, 90_000);

test("N-28 the same client at two nodes: the later one stays, and no edit of either is lost", async () => {
  const { owner, other } = await both();
  const [canvasId] = await makeCanvases(team.at(owner), 1);
  const id = must(canvasId, "a canvas is made");
  const first = connected(() => team.at(owner), { clientId: "one-client-at-two-nodes" });
  const text = await opened(first, id);
  text.edit([{ from: 0, to: 0, insert: "first " }]);
  await until(text.unconfirmed, (count) => count === 0, 10_000);
  const second = connected(() => team.at(other), { clientId: "one-client-at-two-nodes" });
  const again = await opened(second, id);
  again.edit([{ from: again.length, to: again.length, insert: "second" }]);
  await until(again.unconfirmed, (count) => count === 0, 10_000);
  first.close();
  const reader = connected(() => team.at(other));
  expect((await opened(reader, id)).text()).toBe("first second");
  for (const client of [second, reader]) client.close();
});

test("N-18 N-29 N-39 the owner is asked to stop while somebody types elsewhere: every letter in order, no refusal, one effect for each request", async () => {
  const { owner, other } = await both();
  const [canvasId] = await makeCanvases(team.at(owner), 1);
  const client = connected(() => team.at(other));
  const text = await opened(client, must(canvasId, "a canvas is made"));
  const refusals: unknown[] = [];
  text.refused.subscribe(() => refusals.push(text.refused.get()));
  const create = () =>
    client.call("canvas.create", { title: "Once", clientRequestId: "made-once-by-two-owners" as RequestId });
  const before = await create();
  let typed = "";
  const stopping = owner.end("SIGTERM");
  for (let index = 0; index < 90; index += 1) {
    const letter = String.fromCharCode(97 + (index % 26));
    typed += letter;
    text.edit([{ from: text.length, to: text.length, insert: letter }]);
    await delay(33);
  }
  expect(await stopping).toBe(0);
  await until(text.unconfirmed, (count) => count === 0, 30_000);
  expect(text.text()).toBe(typed);
  expect(refusals).toEqual([]);
  expect(await create()).toEqual(before);
  expect((await team.owner()).name).toBe(other.name);
  await owner.start();
  const reader = connected(() => team.at(owner));
  expect((await opened(reader, must(canvasId, "a canvas is made"))).text()).toBe(typed);
  for (const each of [client, reader]) each.close();
}, 90_000);
