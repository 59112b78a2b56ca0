import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scan } from "../../src/core/syntax/scan.ts";
import { textSyntaxes } from "./fuzz-syntax.ts";

const page = readFileSync(new URL("../../docs/syntaxes.md", import.meta.url), "utf8");
const text = { type: "string" } as const;
const tools = [
  { name: "write_file", description: "", inputSchema: { type: "object", properties: { path: text, content: text } } },
] as const;

describe("docs/syntaxes.md", () => {
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
