import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import { scan } from "../../src/core/syntax/scan.ts";
import { writeCalls } from "../../src/core/syntax/write/write-calls.ts";
import { filled } from "../../src/core/syntax/base/registers.ts";
import { textSyntaxes } from "./fuzz-syntax.ts";
import { fuzzTools } from "./syntax-cases.ts";
import type { TextSyntax } from "./syntax-laws.ts";

const documents = 1_000;

const snippets = [
  '```html\n<div class="a">\n  <p>One &amp; two</p>\n</div>\n```',
  '```xml\n<?xml version="1.0"?>\n<items><item id="1"><![CDATA[a < b]]></item></items>\n```',
  "```tsx\nfunction List<T>({ items }: Props<T>) {\n  return <ul>{items.map((one) => <li key={one}>{one}</li>)}</ul>;\n}\n```",
  '```sh\ncat > a.txt <<\'EOF\'\nhello\nEOF\nif [ "$a" -lt 3 ]; then echo "<ok>"; fi\n```',
  "<details>\n<summary>More</summary>\n\nText.\n\n</details>",
  "| tag | meaning |\n| --- | --- |\n| `<a>` | link |",
  "---\ntitle: A page\ntags: [a, b]\n---",
  "1. First, `x < y` and y > z.\n2. Then `Map<string, number[]>`.",
  "[TOOL_CALLS] and <think> are marks of models; `<tool_call>` is another.",
  '{"name": "write_file", "arguments": {"path": "a"}}',
];

/** What a page about this syntax says of its tags in sentences. */
function mentions(syntax: TextSyntax): readonly string[] {
  const guard = syntax.grammar.guard;
  if (guard?.type !== "tags") return ["Lines go between `content ---` and `--- content`."];
  return guard.tags.flatMap(({ open, openEnd, openUntil, close, closeEnd }) => {
    const opening = openEnd === undefined ? open : `${open}path${openEnd}${openUntil ?? ""}`;
    const closing = closeEnd === undefined ? close : `${close}path${closeEnd}`;
    return [
      `A call begins with \`${opening}\` and ends with \`${closing}\`.`,
      `Use ${opening} to begin, never ${closing} alone.`,
      `The mark (${closing}) may be forgotten.`,
    ];
  });
}

/** Whether a text holds what closes the values of a syntax. */
function sharesValues({ writing }: TextSyntax, text: string): boolean {
  return writing.type === "fields" && text.includes(writing.field[1].trim());
}

/** Calls of other syntaxes, as their documentation shows them. */
function examples(syntax: TextSyntax): readonly string[] {
  // What closes a value or call of this syntax, in a form that opens none, is what a forgotten tag looks like.
  const marks = syntax.grammar.guard?.type === "tags" ? syntax.grammar.guard.tags : [];
  const isAlike = (text: string): boolean =>
    marks.some(({ open, close }) => text.includes(close) && !text.includes(open));
  return textSyntaxes.flatMap((other) => {
    const written = writeCalls(
      other,
      [{ name: "write_file", parameters: { path: "a.md", content: "# A\nB" } }],
      fuzzTools,
    );
    return other !== syntax && written.ok && !isAlike(written.value) && !sharesValues(syntax, written.value)
      ? [`\`\`\`text\n${written.value}\n\`\`\``]
      : [];
  });
}

/** A call whose content is written as it is, as a model does that thinks nothing of it. */
function rawCall(syntax: TextSyntax, content: string): string {
  const { writing } = syntax;
  if (writing.type === "caret") return `^^^write_file\npath: a.md\ncontent ---\n${content}\n--- content\n^^^`;
  if (writing.type !== "fields") throw new Error(`${syntax.id} writes no fields`);
  const field = (key: string, value: string): string =>
    `${filled(writing.field[0], { key })}${value}${filled(writing.field[1], { key })}`;
  const facts = { name: "write_file", index: "0" };
  return `${writing.wrapper[0]}${filled(writing.call[0], facts)}${field("path", "a.md")}${field("content", content)}${filled(writing.call[1], facts)}${writing.wrapper[1]}`;
}

const literal = textSyntaxes.filter(({ writing }) => writing.type === "fields" || writing.type === "caret");

describe.each(literal.map((syntax) => [syntax.id, syntax] as const))("%s", (_id, syntax) => {
  test("15.1 at most 1 % of 1,000 documents about code and syntaxes are refused, and the others are read exactly", () => {
    const part = fc.constantFrom(...snippets, ...mentions(syntax), ...examples(syntax));
    const document = fc
      .array(part, { minLength: 1, maxLength: 8 })
      .map((parts) => `# Page\n\n${parts.join("\n\n")}\n\nEnd.`);
    let refused = 0;
    for (const content of fc.sample(document, { numRuns: documents, seed: 1 })) {
      const read = scan(
        syntax.grammar,
        rawCall(syntax, content),
        { tools: fuzzTools, policy: "serial-all" },
        "stopped",
      );
      const call = read.find((one) => one.type === "call-end");
      if (call === undefined) refused += 1;
      else expect(must(call.parameters["content"], "the call has content")).toBe(content);
    }
    expect(refused).toBeLessThanOrEqual(documents / 100);
  });
});
