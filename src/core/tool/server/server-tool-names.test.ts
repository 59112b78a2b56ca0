import { describe, expect, test } from "vitest";
import { ServerToolNames } from "./server-tool-names.ts";

const own = ["block_edit", "canvas_grep"];

function named(servers: readonly string[], server: string, tools: readonly string[]): readonly string[] {
  return [...new ServerToolNames(servers, own).of(server, tools).values()];
}

describe("ServerToolNames", () => {
  test.each([
    ["joins server and tool", "files", "read", "files_read"],
    ["replaces letters that some provider refuses", "Brave Search", "web.search/v2", "Brave_Search_web_search_v2"],
    ["keeps hyphens", "git-hub", "list-repos", "git-hub_list-repos"],
    ["begins with a letter or `_`, as Google's models ask (20.3)", "1password", "0", "_1password_0"],
  ])("F-45 ServerToolNames %s", (_name, server, tool, expected) => {
    expect(named([server], server, [tool])).toEqual([expected]);
  });

  test("ServerToolNames keeps a name of 64 characters, and shortens a longer one", () => {
    const tool = "t".repeat(62);
    expect(named(["a"], "a", [tool])).toEqual([`a_${tool}`]);
    expect(named(["a"], "a", [`${tool}t`])).toEqual([expect.stringMatching(/^a_t{53}_[0-9a-f]{8}$/)]);
  });

  test("F-45 ServerToolNames gives equal tools of two servers different names", () => {
    const names = new ServerToolNames(["a", "b"], own);
    expect([...names.of("a", ["read"]).values(), ...names.of("b", ["read"]).values()]).toEqual(["a_read", "b_read"]);
  });

  test("ServerToolNames never gives a tool the name of one of Heddle's own", () => {
    expect(named(["block"], "block", ["edit", "list"])).toEqual([
      expect.stringMatching(/^block_edit_[0-9a-f]{8}$/),
      "block_list",
    ]);
    expect(named(["block"], "block", ["-edit"])[0]).not.toBe("block_edit");
  });

  test("ServerToolNames separates servers with overlapping prefixes, whichever of them is connected", () => {
    const names = new ServerToolNames(["a", "a_b"], own);
    expect(names.of("a", ["b_c"]).get("b_c")).toBe("a_b_c");
    expect(names.of("a_b", ["c"]).get("c")).toMatch(/^a_b_[0-9a-f]{8}_c$/);
    const same = new ServerToolNames(["x.y", "x-y"], own);
    expect(same.of("x.y", ["t"]).get("t")).not.toBe(same.of("x-y", ["t"]).get("t"));
  });

  test("ServerToolNames keeps the exact spelling for one of several colliding tools, in any order", () => {
    const forth = new ServerToolNames(["s"], own).of("s", ["a.b", "a_b", "a-b"]);
    const back = new ServerToolNames(["s"], own).of("s", ["a-b", "a_b", "a.b"]);
    expect(forth.get("a_b")).toBe("s_a_b");
    expect(new Set(forth.values()).size).toBe(3);
    for (const tool of forth.keys()) expect(back.get(tool)).toBe(forth.get(tool));
    expect(new Set(named(["s"], "s", ["日本", "中国"])).size).toBe(2);
  });

  test("ServerToolNames cuts long names and keeps them distinct", () => {
    const long = "x".repeat(80);
    const names = named([long], long, [`${long}1`, `${long}2`]);
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(2);
  });
});
