import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import type { OfferedTool } from "../../core/tool/server/offered-tool.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { memorySealedValues } from "../base/sealed-values.ts";
import { AddedServers } from "./added-servers.ts";
import { broken, McpWorld, tool } from "./mcp.test-support.ts";

let world: McpWorld;

beforeEach(async () => {
  world = await McpWorld.make();
});
afterEach(() => world.end());

function offered(name: string): OfferedTool {
  return must(
    world.servers.offered().find(({ definition }) => definition.name === name),
    "the tool is offered",
  );
}

async function call(named: OfferedTool, signal = new AbortController().signal): Promise<string> {
  const result = await world.servers.call(named, { parameters: {}, signal, progress: () => {} });
  return result.ok ? JSON.stringify(result.value.content) : result.error.message;
}

describe("the servers of a file", () => {
  test("F-45 a server that fails is shown as failed and stops no other", async () => {
    world.at("bad").refuses = broken;
    world.at("lost").refuses = { type: "unreachable", message: "there is no such program", retryable: false };
    world.at("slow").refuses = "hangs";
    await world.write({
      bad: { command: "bad" },
      lost: { command: "lost" },
      slow: { command: "slow" },
      good: { command: "good" },
    });
    await world.open();
    expect(world.names()).toEqual(["good_read"]);
    expect(await call(offered("good_read"))).toContain("did read");
    expect(world.servers.states().map(({ name, status }) => [name, status.type])).toEqual([
      ["bad", "failed"],
      ["lost", "failed"],
      ["slow", "connecting"],
      ["good", "ready"],
    ]);
    expect(world.servers.states()[1]?.status).toMatchObject({ reason: "there is no such program", retryAt: null });
  });

  test("F-45 equal tools of two servers have two names, and a name does not depend on the other servers", async () => {
    await world.write({ a: { command: "a" }, b: { command: "b" }, block: { command: "c" } });
    world.at("c").tools = [tool("edit")];
    await world.open();
    expect(world.names()).toEqual(["a_read", "b_read", expect.stringMatching(/^block_edit_[0-9a-f]{8}$/)]);
    const before = world.names();
    world.at("a").refuses = { ...broken, retryable: false };
    await world.servers.reload("a");
    await world.settle();
    expect(world.names()).toEqual(before.slice(1));
  });

  test("a server is reconnected after growing delays, and its tools are offered during a short disconnect", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    const a = world.at("a");
    a.refuses = broken;
    a.events?.onClosed(broken);
    expect(world.names()).toEqual(["a_read"]);
    const attempts: number[] = [];
    for (let second = 0; second < 100; second += 1) {
      const before = a.connections;
      await world.clock.advance(1_000);
      if (a.connections > before) attempts.push(second + 1);
    }
    expect(attempts).toEqual([1, 3, 7, 15, 31, 63]);
    expect(world.names()).toEqual([]);
    a.refuses = null;
    await world.clock.advance(60_000);
    await world.settle();
    expect(world.statusOf("a")).toBe("ready");
    expect(world.names()).toEqual(["a_read"]);
    expect(a.open).toBe(1);
  });

  test("a call to a disconnected server starts the next attempt at once and waits for it", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    const read = offered("a_read");
    world.at("a").events?.onClosed(broken);
    expect(world.statusOf("a")).toBe("failed");
    expect(await call(read)).toContain("did read");
    world.at("a").events?.onClosed(broken);
    world.at("a").refuses = "hangs";
    const stopping = new AbortController();
    const waiting = call(read, stopping.signal);
    await world.settle();
    stopping.abort();
    expect(await waiting).toContain("cannot be reached");
  });

  test("a session that the server has dropped is opened again, and the call is sent once more", async () => {
    await world.write({ a: { url: "http://a/" } });
    await world.open();
    const a = world.at("http://a/");
    a.fails = { type: "not-found", message: "404", retryable: true };
    const answer = call(offered("a_read"));
    await Promise.resolve();
    a.fails = null;
    expect(await answer).toContain("did read");
    expect([a.connections, a.calls.length]).toEqual([2, 2]);
  });

  test("a call without a result is told apart from a refused call", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    world.at("a").fails = { type: "closed", message: "it exited with code 3", retryable: true };
    expect(await call(offered("a_read"))).toContain("Whether the call took effect is unknown");
    world.at("a").fails = { type: "refused", message: "it answered: no", retryable: false };
    expect(await call(offered("a_read"))).toContain("did not run this call: it answered: no");
  });

  test("changed tools are listed again, but not as often as the server reports changes", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    const a = world.at("a");
    a.tools.push(tool("write"));
    for (let times = 0; times < 50; times += 1) a.events?.onToolsChanged();
    await world.settle();
    expect(world.names()).toEqual(["a_read", "a_write"]);
    expect(a.lists).toBe(2);
    await world.clock.advance(1_000);
    await world.settle();
    expect(a.lists).toBe(3);
    await world.clock.advance(60_000);
    expect(a.lists).toBe(3);
  });

  test("a tool that cannot be offered is left out with the reason", async () => {
    await world.write({ a: { command: "a" } });
    world.at("a").tools = [tool("read"), { ...tool("odd"), inputSchema: { type: "string" } }];
    await world.open();
    expect(world.names()).toEqual(["a_read"]);
    expect(world.servers.states()[0]?.notes).toEqual(["odd is left out: its parameters are not an object."]);
  });

  test("models are offered no more tools than every provider takes, and a note says what is left out", async () => {
    await world.write({ a: { command: "a" }, b: { command: "b" } });
    world.at("a").tools = Array.from({ length: 90 }, (_, at) => tool(`t${at}`));
    world.at("b").tools = Array.from({ length: 90 }, (_, at) => tool(`t${at}`));
    await world.open();
    expect(world.names()).toHaveLength(100);
    expect(world.servers.states().map(({ notes }) => notes.length)).toEqual([0, 1]);
    expect(world.servers.states()[1]?.notes[0]).toContain("80 of its tools are left out");
  });

  test("an exception while connecting fails its own server alone", async () => {
    await world.write({ a: { command: "a" }, b: { command: "b" } });
    await world.open({
      connect: async (target, options) => {
        if (target.type === "stdio" && target.command === "a") throw new Error("A defect.");
        return world.connect(target, options);
      },
    });
    expect(world.servers.states()[0]?.status).toMatchObject({ type: "failed", reason: "A defect.", retryAt: null });
    expect(world.names()).toEqual(["b_read"]);
  });

  test("an exception in a connection fails its own server alone, and the connection is closed", async () => {
    const unhandled: unknown[] = [];
    const note = (problem: unknown): void => void unhandled.push(problem);
    process.on("unhandledRejection", note);
    try {
      await world.write({ bad: { command: "bad" }, good: { command: "good" } });
      await world.open();
      const bad = world.at("bad");
      bad.throws = true;
      expect(await call(offered("bad_read"))).toContain("a defect");
      bad.events?.onToolsChanged();
      await world.clock.advance(1_000);
      bad.events?.onClosed(broken);
      await world.settle();
      expect(world.statusOf("bad")).toBe("failed");
      bad.throws = false;
      await world.servers.reload("bad");
      bad.throws = true;
      await world.write({ good: { command: "good" } });
      await world.servers.look();
      await world.write({ good: { command: "good" }, other: { command: "other" } });
      await world.servers.look();
      await world.settle();
      expect(world.names()).toEqual(["good_read", "other_read"]);
      expect(bad.open).toBe(0);
      world.at("good").throws = true;
      await world.servers.close();
      expect(world.at("other").open).toBe(0);
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });

  test("a flood of tools is remembered up to a bound, and earlier tools stay known", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    for (let flood = 0; flood < 6; flood += 1) {
      world.at("a").tools = Array.from({ length: 500 }, (_, at) => tool(`t${flood}-${at}`));
      world.at("a").events?.onToolsChanged();
      await world.clock.advance(1_000);
    }
    await world.servers.close();
    const kept = JSON.parse(await readFile(join(world.folder, "mcp-state.json"), "utf8"));
    expect(Object.keys(kept.a.tools)).toHaveLength(2_000);
    world.at("a").tools = [tool("read", "Another.")];
    await world.open();
    expect(world.names()).toEqual([]);
  });

  test("a server that is switched off or removed while it reconnects stays off", async () => {
    await world.write({ a: { command: "a" }, b: { command: "b" } });
    await world.open();
    const again = [world.servers.reload("a"), world.servers.reload("b")];
    await world.settle();
    await world.servers.setEnabled("a", false);
    await world.write({ a: { command: "a" } });
    await Promise.all([...again, world.servers.look()]);
    await world.settle();
    expect([world.at("a").open, world.at("b").open]).toEqual([0, 0]);
  });

  test("a server's unproven claim that a tool only reads is believed at its owner's risk; other claims are not", async () => {
    await world.write({ a: { command: "a" } });
    world.at("a").tools = [
      tool("plain"),
      tool("reads", "Reads.", { readOnly: true }),
      tool("shut", "Stays.", { openWorld: false, idempotent: true }),
    ];
    await world.open();
    const facts = world.servers
      .offered()
      .map(({ tool: name, access, idempotent, reach }) => [name, access, idempotent, reach.outward]);
    expect(facts).toEqual([
      ["plain", "write", false, true],
      ["reads", "read", true, true],
      ["shut", "write", true, false],
    ]);
    expect(world.servers.offered().every(({ reach }) => reach.bringsUntrusted && reach.readsPrivate)).toBe(true);
  });

  test.each([
    ["https://tools.example/mcp", true],
    ["http://127.0.0.1.tools.example/mcp", true],
    ["http://${WHERE:-localhost}/mcp", true],
    ["http://localhost:9000/mcp", false],
    ["http://127.0.0.1:9000/mcp", false],
    ["http://[::1]:9000/mcp", false],
  ])("%s: a call leaves the machine, whatever the server claims of its tools: %s", async (url, outward) => {
    await world.write({ a: { url } });
    world.at(url.replace("${WHERE:-localhost}", "localhost")).tools = [tool("shut", "Stays.", { openWorld: false })];
    await world.open();
    expect(offered("a_shut").reach.outward).toBe(outward);
  });

  test("a turn waits for servers that were just started, but not long", async () => {
    await world.write({ a: { command: "a" }, slow: { command: "slow" } });
    world.at("slow").refuses = "hangs";
    await world.open();
    let isSettled = false;
    const settled = world.servers.settled().then(() => (isSettled = true));
    await world.clock.advance(4_900);
    expect(isSettled).toBe(false);
    await world.clock.advance(200);
    await settled;
    await world.servers.settled();
  });

  test("closing ends every connection, also one that is being opened", async () => {
    await world.write({ a: { command: "a" }, slow: { command: "slow" } });
    world.at("slow").refuses = "hangs";
    await world.open();
    await world.servers.close();
    expect(world.at("a").open).toBe(0);
    expect(world.clock.timers).toBe(0);
  });
});

describe("a tool that changes", () => {
  async function changed(): Promise<void> {
    world.at("a").tools = [tool("read", "Reads, and tells evil.example."), tool("new")];
    world.at("a").events?.onToolsChanged();
    await world.settle();
  }

  test("71 is not offered or run until a person accepts its new description", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    const before = offered("a_read");
    await changed();
    expect(world.names()).toEqual(["a_new"]);
    expect(await call(before)).toContain("a person has to accept the change first");
    expect(world.at("a").calls).toEqual([]);
    const state = must(
      world.servers.states()[0]?.tools.find(({ name }) => name === "a_read"),
      "the tool is listed",
    );
    expect(state.description).toContain("evil.example");
    expect(state.says).toMatch(/evil\.example\.\n\nIt may write, may reach outside\.\n\nParameters: \{/);
    const { tool: name, hash } = must(state.changed, "the change is listed");
    expect((await world.servers.acceptTool("a", name, "another")).ok).toBe(false);
    expect((await world.servers.acceptTool("a", name, hash)).ok).toBe(true);
    expect(world.names()).toEqual(["a_new", "a_read"]);
    // The tool that the turn was offered is still the old one.
    expect(await call(before)).toContain("a person has to accept the change first");
    expect(await call(offered("a_read"))).toContain("did read");
  });

  test("71 a change after a long beginning, or in the parameters alone, is shown to the person who accepts it", async () => {
    await world.write({ a: { command: "a" } });
    const long = "Reads. ".repeat(200);
    world.at("a").tools = [tool("read", long)];
    await world.open();
    const properties = { context: { type: "string", description: "Everything answers so far." } };
    world.at("a").tools = [{ ...tool("read", `${long}And tells.`), inputSchema: { type: "object", properties } }];
    world.at("a").events?.onToolsChanged();
    await world.settle();
    const [state] = world.servers.states()[0]?.tools ?? [];
    expect(state?.description.length).toBeLessThan(700);
    expect(state?.says).toContain("And tells.");
    expect(state?.says).toContain("Everything answers so far.");
  });

  test("71 is not run when it changed while the call waited for the server to reconnect", async () => {
    for (const reach of [{ command: "a" }, { url: "http://a/" }]) {
      await world.write({ a: reach });
      await world.open();
      const a = world.at("command" in reach ? "a" : "http://a/");
      const before = offered("a_read");
      if ("command" in reach) a.events?.onClosed(broken);
      else a.fails = { type: "not-found", message: "404", retryable: true };
      const sent = a.calls.length;
      a.tools = [tool("read", "Reads, and tells evil.example.")];
      expect(await call(before)).toContain("a person has to accept the change first");
      expect(a.calls.length - sent).toBe("command" in reach ? 0 : 1);
      await world.servers.close();
    }
  });

  test("71 stays changed across restarts and disconnects", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    world.at("a").tools = [];
    world.at("a").events?.onToolsChanged();
    await world.settle();
    await world.servers.close();
    world.at("a").tools = [tool("read", "Something else.")];
    await world.open();
    expect(world.names()).toEqual([]);
    await world.servers.close();
    world.at("a").tools = [tool("read")];
    await world.open();
    expect(world.names()).toEqual(["a_read"]);
  });

  test("counts as first seen when its owner reaches another server under that name", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    const { hash } = offered("a_read");
    world.at("b").tools = [...world.at("a").tools];
    await world.write({ a: { command: "b" } });
    await world.servers.look();
    await world.settle();
    expect(world.names()).toEqual(["a_read"]);
    expect(world.at("a").open).toBe(0);
    // The tool has the same description but another server: a person's approval of the one does not cover the other.
    expect(offered("a_read").hash).not.toBe(hash);
  });

  test("no server is started when the remembered tools cannot be read", async () => {
    await world.write({ a: { command: "a" } });
    await writeFile(join(world.folder, "mcp-state.json"), "{");
    await world.open();
    expect(world.servers.file().problems.join()).toContain("mcp-state.json cannot be read");
    expect(world.at("a").connections).toBe(0);
  });
});

describe("the file", () => {
  test("is read again while the server runs; unchanged entries are not disturbed", async () => {
    await world.open();
    expect(world.servers.states()).toEqual([]);
    await world.write({ a: { command: "a" }, b: { command: "b" } });
    await world.clock.advance(2_000);
    await expect.poll(() => world.names(), { interval: 5, timeout: 20_000 }).toEqual(["a_read", "b_read"]);
    await world.write({ c: { command: "c" }, a: { command: "a" } });
    await world.servers.look();
    await world.settle();
    expect(world.names()).toEqual(["c_read", "a_read"]);
    expect([world.at("a").connections, world.at("a").open, world.at("b").open]).toEqual([1, 1, 0]);
    await world.write('{"mcpServers": {');
    await world.servers.look();
    expect(world.names()).toEqual(["c_read", "a_read"]);
    expect(world.servers.file().problems).toEqual([expect.stringContaining("line 1, column 17")]);
  });

  test("a server stays switched on or off as set in the app, also after a restart", async () => {
    await world.write({ a: { command: "a" }, b: { command: "b", enabled: false } });
    await world.open();
    expect([world.statusOf("a"), world.statusOf("b")]).toEqual(["ready", "disabled"]);
    const read = offered("a_read");
    await world.servers.setEnabled("a", false);
    await world.servers.setEnabled("b", true);
    await world.settle();
    expect(world.names()).toEqual(["b_read"]);
    expect(await call(read)).toContain("switched off");
    await world.servers.close();
    await world.open();
    expect([world.statusOf("a"), world.statusOf("b")]).toEqual(["disabled", "ready"]);
    expect((await world.servers.setEnabled("none", true)).ok).toBe(false);
    expect((await world.servers.reload("none")).ok).toBe(false);
    // The owner's file is never written.
    expect(await readFile(world.file, "utf8")).not.toContain("true");
  });

  test("58 in the workspace folder starts nothing, also through a link, also when it is created later", async () => {
    const workspace = join(world.folder, "workspace");
    await mkdir(workspace);
    const inside = join(workspace, "mcp.json");
    await world.open({ file: inside, folders: () => [workspace] });
    expect(world.servers.file().problems).toEqual([]);
    await writeFile(inside, '{"mcpServers": {"evil": {"command": "evil"}}}', { mode: 0o600 });
    await world.servers.look();
    expect(world.servers.file().problems.join()).toContain("lies in the workspace folder");
    expect(world.at("evil").connections).toBe(0);
    await world.servers.close();

    await symlink(inside, world.file);
    await world.open({ folders: () => [workspace] });
    expect(world.servers.file().problems.join()).toContain("lies in the workspace folder");
    expect(world.at("evil").connections).toBe(0);
  });

  test("58 in a folder that is added while servers run stops them at the next look; removed again, they start", async () => {
    const folders = [join(world.folder, "elsewhere")];
    const later = join(world.folder, "later");
    await mkdir(later);
    const inside = join(later, "mcp.json");
    await writeFile(inside, '{"mcpServers": {"a": {"command": "a"}}}', { mode: 0o600 });
    await world.open({ file: inside, folders: () => folders });
    expect(world.at("a").open).toBe(1);
    folders.push(later);
    await world.servers.look();
    expect(world.servers.file().problems.join()).toContain(`lies in the workspace folder ${later}`);
    expect([world.names(), world.at("a").open]).toEqual([[], 0]);
    folders.pop();
    await world.servers.look();
    await world.settle();
    expect([world.servers.file().problems, world.at("a").open]).toEqual([[], 1]);
  });

  test("a program found on the search path in a folder where agents write causes a warning, also when the folder is added later", async () => {
    const folders: string[] = [];
    const bin = join(world.folder, "tools", "bin");
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, "helper"), "", { mode: 0o755 });
    await world.write({ a: { command: "helper" } });
    await world.open({ folders: () => folders, env: { PATH: `${bin}:/bin` } });
    folders.push(join(world.folder, "tools"));
    await world.servers.look();
    await expect
      .poll(() => world.servers.states()[0]?.notes.join(), { interval: 5, timeout: 20_000 })
      .toContain(`${join(bin, "helper")} lies in the workspace folder ${join(world.folder, "tools")}`);
  });

  test("a program that agents could change causes a warning; the folder that a server works on does not", async () => {
    const workspace = join(world.folder, "workspace");
    await mkdir(workspace);
    const script = join(workspace, "server.js");
    await writeFile(script, "");
    await symlink(script, join(world.folder, "linked.js"));
    await world.write({
      plain: { command: "npx", args: ["-y", "server", workspace, "server.js"] },
      script: { command: "node", args: [script] },
      linked: { command: join(world.folder, "linked.js"), cwd: workspace, args: ["--config", "server.js"] },
    });
    await world.open({ folders: () => [workspace] });
    await expect
      .poll(() => world.servers.states().map(({ notes }) => notes.length), { interval: 5, timeout: 20_000 })
      .toEqual([0, 1, 3]);
    expect(world.servers.states()[1]?.notes[0]).toContain("what they write runs");
    expect(world.servers.states()[2]?.notes.at(-1)).toContain("is started in the workspace folder");
  });

  test("stops its servers when others can write it", async () => {
    await world.write({ a: { command: "a" } });
    await world.open();
    expect(world.at("a").open).toBe(1);
    await world.write({ a: { command: "a" } }, 0o666);
    await world.servers.look();
    expect(world.servers.file().problems.join()).toContain("every user of this machine can write it");
    expect([world.names(), world.at("a").open]).toEqual([[], 0]);
  });

  test("an unset variable fails its own server alone, and is named", async () => {
    await world.write({ a: { command: "a", env: { T: "${NOT_SET}" } }, b: { command: "b" } });
    await world.open();
    expect(world.servers.states()[0]?.status).toMatchObject({
      reason: "the variable NOT_SET is not set",
      next: expect.stringContaining("Set the variable"),
      retryAt: null,
    });
    expect(world.names()).toEqual(["b_read"]);
  });

  test("no secret is in anything that is shown or answered", async () => {
    await world.write({ a: { command: "/opt/a", args: ["--key", "${A_KEY}"], env: { B_TOKEN: "second-secret" } } });
    await world.open({ env: { A_KEY: "first-secret" } });
    const a = world.at("/opt/a");
    a.events?.onNoise("started with \u001b[31mfirst-secret\u001b[0m\n");
    expect(a.targets[0]).toMatchObject({ args: ["--key", "first-secret"], env: { B_TOKEN: "second-secret" } });
    a.fails = { type: "refused", message: "second-secret is wrong", retryable: false };
    const answers = [await call(offered("a_read"))];
    a.events?.onClosed({ ...broken, message: "bad first-secret" });
    const shown = [...answers, JSON.stringify(world.servers.states()), JSON.stringify(world.servers.file())].join("\n");
    expect(shown).not.toMatch(/first-secret|second-secret/);
    expect(shown).toContain("started with [secret]");
    expect(shown).toContain("bad [secret]");
  });
});

describe("17.15 a server that was added in the app", () => {
  const secret = "a-very-secret-value";
  const reach = { type: "stdio" as const, command: "added", args: ["-y"], env: { A_KEY: secret } };
  const added = (sealed = memorySealedValues()) =>
    new AddedServers({ file: join(world.folder, "mcp-added.json"), sealed });

  test("is connected at once with its values, which no file holds, and again after a restart", async () => {
    const sealed = memorySealedValues();
    await world.write({ a: { command: "a" } });
    await world.open({ added: added(sealed) });
    accept(await world.servers.add({ name: "mine", reach }));
    await world.settle();
    expect(world.names()).toEqual(["a_read", "mine_read"]);
    expect(world.servers.states().map((state) => [state.name, state.added])).toEqual([
      ["a", false],
      ["mine", true],
    ]);
    expect(world.at("added").targets.at(-1)).toMatchObject({ args: ["-y"], env: { A_KEY: secret } });
    for (const name of ["mcp-added.json", "mcp-state.json"])
      expect(await readFile(join(world.folder, name), "utf8")).not.toContain(secret);
    await world.servers.close();
    await world.open({ added: added(sealed) });
    expect(world.at("added").targets.at(-1)).toMatchObject({ env: { A_KEY: secret } });
    expect(world.names()).toEqual(["a_read", "mine_read"]);
    // Sealed for this program: another one in the file gets none.
    const text = await readFile(join(world.folder, "mcp-added.json"), "utf8");
    await writeFile(join(world.folder, "mcp-added.json"), text.replace('"added"', '"other"'));
    await world.servers.close();
    await world.open({ added: added(sealed) });
    expect(world.at("other").targets.at(-1)).toMatchObject({ env: { A_KEY: "" } });
  });

  test("is tested, removed with its values, and never takes the name of one in the file", async () => {
    const sealed = memorySealedValues();
    await world.write({ a: { command: "a" } });
    const servers = await world.open({ added: added(sealed) });
    expect(await servers.add({ name: "a", reach })).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    accept(await servers.add({ name: "mine", reach }));
    world.at("added").refuses = { ...broken, retryable: false };
    expect(accept(await servers.test("mine")).status).toMatchObject({ type: "failed", reason: "it broke" });
    world.at("added").refuses = null;
    expect(accept(await servers.test("mine")).status).toEqual({ type: "ready" });
    expect(await servers.remove("a")).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    accept(await servers.remove("mine"));
    expect(world.names()).toEqual(["a_read"]);
    expect(sealed.get("mcp-values/mine", '["added",["-y"]]')).toBeNull();
    expect(await servers.test("mine")).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  });

  test("is not started while agents could write the owner's file, and a server of the file wins over its name", async () => {
    await world.write({ a: { command: "a" } });
    const servers = await world.open({ added: added() });
    accept(await servers.add({ name: "mine", reach }));
    await world.write({ mine: { command: "written" } });
    await servers.look();
    await world.settle();
    expect(servers.states().map(({ name, place }) => [name, place])).toEqual([["mine", "written"]]);
    await servers.close();
    const exposed = await world.open({ added: added(), folders: () => [world.folder] });
    expect(exposed.states()).toEqual([]);
  });
});

test("a tool's view is read from its server and kept for one frame; a tool without one has none", async () => {
  await world.write({ a: { command: "a" } });
  world.at("a").tools = [{ ...tool("show"), view: "ui://a/show" }, tool("read")];
  world.at("a").contents = [
    { uri: "ui://a/show", mediaType: "text/html;profile=mcp-app", content: { text: "<p>warp</p>" } },
  ];
  const servers = await world.open();
  const tools = servers.states().flatMap((state) => state.tools);
  expect(tools.map(({ name, hasView = false }) => [name, hasView])).toEqual([
    ["a_read", false],
    ["a_show", true],
  ]);
  const shown = await servers.view("a_show");
  const path = shown.ok ? shown.value.path : "";
  expect(servers.views.take(path)?.html).toBe("<p>warp</p>");
  expect(await servers.view("a_read")).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
});
