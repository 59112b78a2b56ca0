import { describe, expect, test } from "vitest";
import { readJsonWithLines } from "./json-lines.ts";
import { readMcpConfig } from "./read-mcp-config.ts";
import { redacted, targetOf } from "./server-target.ts";

function problems(servers: object): readonly string[] {
  return readMcpConfig(JSON.stringify({ mcpServers: servers }, null, 1)).problems;
}

function only(server: object) {
  const { entries } = readMcpConfig(JSON.stringify({ mcpServers: { one: server } }));
  const [entry] = entries ?? [];
  if (entry === undefined) throw new Error("It was not read.");
  return entry;
}

describe("the file of servers", () => {
  test("gives programs and addresses in order, with defaults", () => {
    const text = JSON.stringify({
      mcpServers: {
        files: { command: "npx", args: ["-y", "server", "/notes"], env: { A: "1" } },
        web: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer ${T}" }, timeout: 5000 },
        off: { command: "x", disabled: true },
      },
    });
    const { entries, problems } = readMcpConfig(text);
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      {
        name: "files",
        enabled: true,
        timeoutMs: null,
        reach: { type: "stdio", command: "npx", args: ["-y", "server", "/notes"], env: { A: "1" }, cwd: null },
      },
      {
        name: "web",
        enabled: true,
        timeoutMs: 5000,
        reach: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer ${T}" }, oauth: null },
      },
      { name: "off", enabled: false, timeoutMs: null, reach: expect.anything() },
    ]);
  });

  test("F-45 reports a mistake with its line, and loses that server alone", () => {
    const text = `{
  "mcpServers": {
    "good": { "command": "a" },
    "bad": {
      "command": "b",
      "args": ["x", 7]
    },
    "late": { "url": "https://x.example" }
  }
}`;
    const { entries, problems } = readMcpConfig(text);
    expect(entries?.map(({ name }) => name)).toEqual(["good", "late"]);
    expect(problems).toEqual(['line 6: "bad", "args.1": must be a string']);
  });

  test.each<[string, object, string]>([
    ["neither program nor address", {}, 'either "command"'],
    ["both", { command: "a", url: "https://b" }, 'either "command"'],
    ["the older HTTP transport", { url: "https://b", type: "sse" }, "streamable HTTP"],
    ["a type of the other transport", { command: "a", type: "http" }, 'must be "stdio"'],
    ["an address of another scheme", { url: "file:///etc/passwd" }, "an http or https"],
    ["a password in an address", { url: "https://me:secret@b" }, "without a name or password"],
    ["a time in seconds", { command: "a", timeout: 30 }, "milliseconds from 1000"],
    ["a header with two lines", { url: "https://b", headers: { A: "x\r\nB: y" } }, "one line"],
    ["a header without a name", { url: "https://b", headers: { "a b": "x" } }, "header's name"],
    ["a variable without a name", { command: "a", env: { "A=B": "x" } }, "variable's name"],
    ["a NUL in an argument", { command: "a", args: ["x\0y"] }, "must be a string"],
    ["a flag that is not a boolean", { command: "a", enabled: "yes" }, "true or false"],
    ["an array", ["a"], '"command" or "url"'],
  ])("refuses %s", (_name, server, expected) => {
    const [problem, ...more] = problems({ one: server });
    expect(problem).toContain(expected);
    expect(problem).toMatch(/^line \d+: "one"/);
    expect(more).toEqual([]);
  });

  test("reports a key of another program, which has no effect", () => {
    const { entries, problems } = readMcpConfig('{"mcpServers": {"a": {"command": "x", "autoApprove": []}}}');
    expect(entries).toHaveLength(1);
    expect(problems).toEqual(['line 1: "a", "autoApprove": is an unknown key and has no effect']);
  });

  test.each([
    ['{"mcpServers": {\n  "a": {"command": "x",}\n}}', "line 2, column 24"],
    ["", "line 1, column 1"],
    ['{"mcpServers": {}} x', "line 1, column 20"],
    ['{"a": "secret\n"}', "line 1, column 7"],
  ])("reports where it stops being JSON without repeating its text: %j", (text, place) => {
    const { entries, problems } = readMcpConfig(text);
    expect(entries).toBeNull();
    expect(problems.join()).toContain(place);
    expect(problems.join()).not.toContain("secret");
  });

  test.each(["[]", '{"servers": {}}', '{"mcpServers": []}'])("reports a file of another form: %s", (text) => {
    expect(readMcpConfig(text)).toEqual({ entries: null, problems: [expect.stringContaining("mcpServers")] });
  });

  test("readJsonWithLines accepts exactly what JSON.parse accepts", () => {
    for (const text of ['{"a": [1, -0.5e+3, "\\u0041\\n", true, null, {}], "b": []}', " 1 ", '"x"', "[]", "{}"]) {
      const read = readJsonWithLines(text);
      expect(read.ok && read.value.value).toEqual(JSON.parse(text));
    }
    for (const text of ["01", "[1,]", "{a: 1}", "'x'", "[", '{"a"}', "nul", "[1 2]", '"\\x"', "+1", "1.", "\u00a0[]"])
      expect(readJsonWithLines(text).ok).toBe(false);
    expect(readJsonWithLines("[".repeat(100_000)).ok).toBe(false);
  });
});

describe("a server's variables", () => {
  const env = {
    HOME: "/home/ada",
    PATH: "/bin",
    GITHUB_TOKEN: "gh-0123456789",
    EMPTY: "",
    ANTHROPIC_API_KEY: "sk-very-secret",
  };

  test("are filled in, and a missing one is named", () => {
    const found = targetOf(
      only({ command: "${SHELL:-sh}", args: ["${env:HOME}/x", "$HOME", "${EMPTY:-none}"] }),
      env,
      "/h",
    );
    expect(found).toMatchObject({
      value: { target: { command: "sh", args: ["/home/ada/x", "$HOME", "none"], cwd: "/h" } },
    });
    const missing = targetOf(only({ url: "https://${NO_SUCH_HOST}/" }), env, "/h");
    expect(missing).toEqual({ ok: false, error: "the variable NO_SUCH_HOST is not set" });
    expect(targetOf(only({ url: "${HOME}" }), env, "/h").ok).toBe(false);
  });

  test("66 a program gets the listed variables and those of its entry, and no other server's key", () => {
    const found = targetOf(only({ command: "x", env: { TOKEN: "${GITHUB_TOKEN}", PATH: "/own" } }), env, "/h");
    expect(found).toMatchObject({
      value: {
        target: { env: { HOME: "/home/ada", PATH: "/own", TOKEN: "gh-0123456789" } },
        secrets: ["gh-0123456789"],
      },
    });
    expect(JSON.stringify(found)).not.toContain("sk-very-secret");
  });

  test("secrets are found by the names of their variables, and removed from texts", () => {
    const headers = { Authorization: "Bearer abcdefgh1234", Accept: "application/json" };
    const found = targetOf(only({ url: "https://b/?k=${GITHUB_TOKEN}", headers }), env, "/h");
    const secrets = found.ok ? found.value.secrets : [];
    expect(secrets).toEqual(["Bearer abcdefgh1234", "gh-0123456789", "abcdefgh1234"]);
    expect(redacted("got abcdefgh1234 and gh-0123456789 of application/json", secrets)).toBe(
      "got [secret] and [secret] of application/json",
    );
  });
});
