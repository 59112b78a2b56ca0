import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

const textByPath = new Map(sourceFiles().map(({ path, text }) => [path, text]));

/** Everything that is loaded with a file, before any of its functions runs: files of the repository, and packages. */
function loadedWith(path: string): ReadonlySet<string> {
  const loaded = new Set([path]);
  // A set yields what is added while it is walked.
  for (const each of loaded) {
    const imports = (textByPath.get(each) ?? "").matchAll(/^(?:import|export) (?!type\b)(?:[^;]*? from )?"([^"]+)";/gm);
    for (const [, name = ""] of imports) loaded.add(name.startsWith(".") ? normalize(join(dirname(each), name)) : name);
  }
  return loaded;
}

test("a command that joins a running server loads nothing of a server", () => {
  const loaded = loadedWith("src/host/cli/run.ts");
  expect(loaded).toContain("src/client/connect.ts");
  expect([...loaded].filter((path) => /^src\/host\/(?:server\/server|workspace|document|tool)\b/.test(path))).toEqual(
    [],
  );
});

test("a server loads the packages of MCP, outside agents, PostgreSQL and NATS when they are asked for", () => {
  const loaded = loadedWith("src/host/cli/start/start-from-line.ts");
  expect(loaded).toContain("src/host/server/server.ts");
  const large = ["pg", "@modelcontextprotocol/server", "@agentclientprotocol/sdk/unstable", "@nats-io/transport-node"];
  expect(large.filter((name) => loaded.has(name))).toEqual([]);
});
