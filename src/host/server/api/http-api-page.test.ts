import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { httpApiPage } from "../../../../scripts/http-api-page.ts";
import { commands } from "../../../core/protocol/commands.ts";
import { documentedRoutes } from "./routes.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/http-api.md"), "utf8");

test("docs/http-api.md is current: `node scripts/http-api.ts --write` writes it", () => {
  expect(page).toBe(httpApiPage());
});

test("the HTTP page has an entry for each route and each command, and no others", () => {
  const headings = [...page.matchAll(/^### ([A-Z]+ \/.+)$/gm)].map((match) => match[1]);
  const expected = [
    ...documentedRoutes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`),
    ...Object.keys(commands).map((name) => `POST /api/commands/${name}`),
  ];
  expect(headings.toSorted()).toEqual(expected.toSorted());
});

test("each link of the HTTP page leads to a heading, and each JSON example is valid JSON", () => {
  const anchors = new Set([...page.matchAll(/^#+ (.+)$/gm)].map((match) => (match[1] ?? "").toLowerCase()));
  const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map((match) => match[1] ?? "");
  expect(links.filter((link) => !anchors.has(link))).toEqual([]);
  for (const [, example = ""] of page.matchAll(/^```json\n([^]*?)\n```$/gm)) {
    expect(() => JSON.parse(example)).not.toThrow();
  }
});
