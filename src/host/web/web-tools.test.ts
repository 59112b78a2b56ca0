import { expect, test } from "vitest";
import { ok } from "../../core/base/result.ts";
import type { ToolCallId } from "../../core/base/ids.ts";
import type { Web } from "../../core/port/web.ts";
import type { ToolContext } from "../conversation/base/ports.ts";
import { createWebTools } from "./web-tools.ts";

const web: Web = {
  searches: true,
  reachesInside: false,
  search: async (query) => ok([{ url: "https://example.org/a", title: query, excerpt: "" }]),
  page: async (url) => ok({ url, title: "A", markdown: "x".repeat(45_000) }),
};
const context = {} as ToolContext;
const run = (name: string, parameters: object) =>
  createWebTools(web).run(
    { id: "c" as ToolCallId, name, parameters: parameters as Record<string, string> },
    context,
    new AbortController().signal,
  );

test("20.13 both tools reach outside and bring untrusted text; a page is private where hosts inside are named", () => {
  const tools = createWebTools(web);
  const reach = { readsPrivate: false, bringsUntrusted: true, outward: true };
  expect(["web_search", "web_fetch"].map((name) => tools.facts(name)?.reach)).toEqual([reach, reach]);
  const inside = createWebTools({ ...web, searches: false, reachesInside: true });
  expect(inside.facts("web_fetch")?.reach).toEqual({ ...reach, readsPrivate: true });
  expect([inside.facts("web_search"), inside.facts("block_read")]).toEqual([null, null]);
});

test("20.13 a long page comes in pieces, and the last piece names no next", async () => {
  const first = await run("web_fetch", { url: "https://example.org/a" });
  expect(first).toMatchObject({ ok: true, content: { next: 20_000, of: 45_000 } });
  const last = await run("web_fetch", { url: "https://example.org/a", from: 40_000 });
  expect(last).toMatchObject({ ok: true, content: { text: "x".repeat(5_000) } });
  expect(last.content).not.toHaveProperty("next");
});

test("20.13 a search answers with pages, and what is no address is refused before anything is asked", async () => {
  expect(await run("web_search", { query: "looms" })).toMatchObject({
    ok: true,
    content: { pages: [{ title: "looms" }] },
  });
  expect(await run("web_fetch", { url: "javascript:x" })).toMatchObject({ ok: false, code: "INVALID_PARAMS" });
});
