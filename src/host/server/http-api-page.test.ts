import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorTable } from "../../core/base/errors.ts";
import { routes } from "./routes.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/http-api.md"), "utf8");

test("docs/http-api.md has a heading for each route, and for nothing else", () => {
  const headings = [...page.matchAll(/^### (.+)$/gm)].map((match) => match[1]);
  expect(headings.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test("its examples are JSON, and its codes are those of the table with their statuses", () => {
  for (const [, example = ""] of page.matchAll(/^```json\n([^]*?)\n```$/gm))
    expect(() => JSON.parse(example)).not.toThrow();
  const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)` (\d{3})/g)];
  expect(named.length).toBeGreaterThan(20);
  const table: Readonly<Record<string, { readonly http: number }>> = errorTable;
  expect(named.map(([, code = "", status]) => [code, Number(status)])).toEqual(
    named.map(([, code = ""]) => [code, table[code]?.http]),
  );
});
