import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scan } from "../../src/core/syntax/scan.ts";
import { syntaxes } from "../../src/core/syntax/registry.ts";
import { syntaxesPage } from "../../scripts/syntaxes-page.ts";
import { textSyntaxes } from "./fuzz-syntax.ts";

const page = readFileSync(new URL("../../docs/syntaxes.md", import.meta.url), "utf8");
const text = { type: "string" } as const;
const tools = [
  { name: "write_file", description: "", inputSchema: { type: "object", properties: { path: text, content: text } } },
] as const;

describe("docs/syntaxes.md", () => {
  test("has the table and the examples of the syntaxes as they are; `node scripts/syntaxes.ts --write` updates it", () => {
    expect(syntaxesPage(page)).toBe(page);
  });

  test.each(syntaxes.map(({ id, models, sources, tier }) => [id, { models, sources, tier }] as const))(
    "names the models of %s and where its form is described",
    (_id, { models, sources = [], tier }) => {
      expect(models).toMatch(/\w/);
      expect(sources.length > 0 || tier === "native").toBe(true);
      for (const source of sources) expect(source).toMatch(/^(?:https:\/\/|#)/);
    },
  );

  test.each(textSyntaxes.map((syntax) => [syntax.id, syntax] as const))(
    "shows %s with an example that its grammar reads",
    (id, syntax) => {
      const example = page.split(`(\`${id}\`)\n\n\`\`\`\`text\n`)[1]?.split("\n````")[0] ?? "";
      const calls = scan(syntax.grammar, example, { tools, policy: "serial-all" }).flatMap((one) =>
        one.type === "call-end" ? [one.parameters] : [],
      );
      expect(calls).toEqual([{ path: "notes.md", content: "# Title\nBody" }]);
    },
  );
});
