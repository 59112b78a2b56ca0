import { afterEach, expect, test } from "vitest";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer } from "../../../testing/test-server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test("a page sees who comes, who goes, and once who comes back on another connection", async () => {
  const server = await startTestServer();
  closing.push(() => server.close());
  const ann = connectTestClient(server, { name: "Ann" });
  closing.push(() => ann.close());
  const shows = (...names: readonly string[]) =>
    until(ann.workspace, (view) => view?.people.map(({ actor }) => actor.name).join() === names.join());
  await shows("Ann");
  const clientId = "bens-page-000000001";
  const ben = connectTestClient(server, { name: "Ben", clientId });
  closing.push(() => ben.close());
  await shows("Ann", "Ben");
  // The same page, opened again before the server knows that the old connection is dead.
  const again = connectTestClient(server, { name: "Benjamin", clientId });
  closing.push(() => again.close());
  await shows("Ann", "Benjamin");
  expect(ann.workspace.get()?.people.map(({ self }) => self)).toEqual([true, false]);
  again.close();
  await shows("Ann");
});
