import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import type { RequestId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { startMockProvider } from "../../src/testing/mock-provider/server.ts";
import { until } from "../../src/testing/test-client.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory } from "../e2e/server-process.ts";
import { assertHistory, lastWords } from "./history.ts";
import { integrityOf } from "./stored-workspace.ts";
import { isResting, openTypist, timesIn, viewOf, type Typist } from "./typist.ts";
import { welcomeIds } from "./welcome-ids.ts";

const env = { HEDDLE_NO_BUILD: "1" };

test.each([
  ["while a reply streams", (person: Typist) => liveText(person) > 20],
  [
    "while a tool is the step",
    (person: Typist) => viewOf(person).runs.some((run) => run.state.type === "running-tools"),
  ],
])("S-47 SIGTERM %s ends the process within 5 s, and the turn goes on with the next start", async (_when, isMoment) => {
  const data = await temporaryDirectory();
  let server = await startServerProcess({ dataDirectory: data.path, env });
  let person: Typist | null = null;
  try {
    const ids = await welcomeIds(new Api(server));
    const typist = await openTypist({ ...ids, server, number: 0 });
    person = typist;
    const sent = await typist.client.call("message.send", {
      rootId: ids.rootId,
      parentNodeId: null,
      text: "Add a section on testing",
      clientRequestId: "request-before-a-stop" as RequestId,
    });
    expect(sent).toMatchObject({ ok: true });
    await until(typist.conversation, () => isMoment(typist));
    typist.typeAfter("This part is yours.");

    const asked = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(server.output()).toContain("Stopped. Your data is in");
    expect(integrityOf(data.path)).toBe("ok");
    typist.typeAfter("This part is yours.");

    server = await startServerProcess({ dataDirectory: data.path, port: server.port, env });
    await until(typist.client.state, (state) => state.type === "live");
    await until(typist.conversation, isResting, 30_000);
    await until(typist.text.unconfirmed, (count) => count === 0);
    const { nodes } = await new Api(server).get<{ nodes: readonly ForestNode[] }>(`/api/conversations/${ids.rootId}`);
    assertHistory(nodes, "idle");
    const text = await new Api(server).textOf(ids.canvasId);
    expect(lastWords(nodes)).toContain("I added the section “Testing”");
    expect(text.split("\n").filter((line) => line === "## Testing")).toHaveLength(1);
    expect(typist.typed.map((word) => timesIn(text, word))).toEqual([1, 1]);
    expect(`${text}\n`).toBe(typist.text.text());
  } finally {
    person?.close();
    await server.kill();
    await data.remove();
  }
});

test("S-47 neither a silent provider nor hanging clients delay a stop, and the question is asked again at the next start", async () => {
  const data = await temporaryDirectory();
  const author = createScribe(async () => {});
  const provider = await startMockProvider({
    api: "chat",
    strict: true,
    reply: (request, signal) => author.stream(request, signal),
    faults: [{ type: "stall", events: 4 }],
  });
  const local = { HEDDLE_OPENAI_BASE_URL: provider.url, HEDDLE_OPENAI_MODEL: "m", HEDDLE_MODEL: "local/m" };
  let server = await startServerProcess({ dataDirectory: data.path, env: { ...env, ...local } });
  const hanging: Socket[] = [];
  let person: Typist | null = null;
  try {
    const ids = await welcomeIds(new Api(server));
    const typist = await openTypist({ ...ids, server, number: 0 });
    person = typist;
    const half = "POST /api/tools/block_list HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{";
    const upgrade =
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
    for (const said of ["", half, upgrade]) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      socket.write(said);
      hanging.push(socket);
    }
    await typist.client.call("message.send", {
      rootId: ids.rootId,
      parentNodeId: null,
      text: "help",
      clientRequestId: "request-before-a-stop" as RequestId,
    });
    await until(typist.conversation, () => provider.requests.length === 1 && liveText(typist) > 0);

    const asked = performance.now();
    expect(await server.stop()).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(server.output()).toContain("Stopped. Your data is in");

    server = await startServerProcess({ dataDirectory: data.path, port: server.port, env: { ...env, ...local } });
    await until(typist.conversation, (view) => isResting(view) && provider.requests.length === 2, 15_000);
    const { nodes } = await new Api(server).get<{ nodes: readonly ForestNode[] }>(`/api/conversations/${ids.rootId}`);
    assertHistory(nodes, "idle");
    expect(lastWords(nodes)).toContain("add a section on");
  } finally {
    person?.close();
    for (const socket of hanging) socket.destroy();
    await server.kill();
    await provider.close();
    await data.remove();
  }
});

test("a second process on the same data is refused with exit code 3, and the first continues", async () => {
  const data = await temporaryDirectory();
  const server = await startServerProcess({ dataDirectory: data.path, env });
  try {
    const second = startServerProcess({ dataDirectory: data.path, env });
    await expect(second).rejects.toThrow(/exit code 3 .*\n[\s\S]*Another Heddle process holds this data directory/);
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    await server.kill();
    // The lock is released with the process, however it ends.
    const third = await startServerProcess({ dataDirectory: data.path, env });
    expect(await third.stop()).toBe(0);
  } finally {
    await server.kill();
    await data.remove();
  }
});

function liveText(person: Typist): number {
  return viewOf(person).runs.reduce(
    (sum, run) => sum + run.liveBlocks.reduce((all, { text }) => all + text.length, 0),
    0,
  );
}
