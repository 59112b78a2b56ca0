import { expect, test } from "vitest";
import { refusal } from "../../../core/base/errors.ts";
import { err, ok } from "../../../core/base/result.ts";
import { runSlash } from "./slash.ts";
import type { SlashContext } from "./slash-context.ts";

const review = {
  name: "review",
  title: "Review a change",
  description: "",
  parameters: [
    { name: "change", description: "", isRequired: true },
    { name: "tone", description: "", isRequired: false },
  ],
};
const greet = {
  ...review,
  name: "greet",
  title: "Greet",
  parameters: [{ name: "who", description: "", isRequired: true }],
};
const today = { uri: "loom:today", name: "Today", description: "What is due\u001b[2J", mediaType: null };
const offers = { servers: [{ server: "looms", resources: [today], prompts: [review, greet] }] };
const copied = [{ blobId: "b1", size: 1, mediaType: "text/plain", name: "today.txt" }];

/** Runs commands as a person types them; returns what was asked of the server, and what came of it here. */
async function typed(line: string, answers: Readonly<Record<string, unknown>> = {}) {
  const asked: unknown[] = [];
  const shown: string[] = [];
  const attached: string[] = [];
  let inLine: string | null = null;
  const known = { "mcp.offers": ok(offers), ...answers };
  const say = (text: string): void => void shown.push(text);
  const context = {
    client: {
      call: async (name: keyof typeof known, params: unknown) => {
        if (name !== "mcp.offers") asked.push(params);
        return known[name];
      },
    },
    face: { line: say, aside: say, columns: () => 100 },
    head: "n1",
    attachStored: (files: readonly { readonly name: string }[]) => attached.push(...files.map(({ name }) => name)),
    goTo: (head: string, text: string) => {
      inLine = `${head}: ${text}`;
    },
    refused: (problem: { readonly code: string }, safe: string) => shown.push(`${problem.code} ${safe}`),
  } as unknown as SlashContext;
  const [name = "", ...rest] = line.slice(1).split(" ");
  await runSlash(context, name, rest.join(" "));
  return { asked, shown: shown.join("\n"), attached, inLine };
}

test("a resource of an MCP server is listed without its control characters, and goes with the next message", async () => {
  expect((await typed("/resource")).shown).toMatch(/looms:Today {2}What is due.*\[2J[^]*\/resource SERVER:NAME/u);
  expect((await typed("/resource")).shown).not.toContain("\u001b");
  const done = await typed("/resource looms:Today", { "mcp.attach": ok({ attachments: copied }) });
  expect(done).toMatchObject({ asked: [{ server: "looms", uri: "loom:today" }], attached: ["today.txt"] });
  expect((await typed("/resource looms:Tody")).shown).toContain(
    "There is no resource looms:Tody. Did you mean looms:Today",
  );
  const refused = await typed("/resource loom:today", { "mcp.attach": err(refusal("TOOL_FAILED", {}, "It is gone.")) });
  expect(refused).toMatchObject({ shown: "TOOL_FAILED Nothing was attached.", attached: [] });
});

test.each([
  ['/prompt looms:review change="the first" tone=mild', { change: "the first", tone: "mild" }],
  ["/looms:review change=one", { change: "one" }],
  ["/looms:greet Ada and Bob", { who: "Ada and Bob" }],
])("%s puts the prompt, filled in, into the line", async (line, values) => {
  const filled = ok({ text: "Look at it.", attachments: copied });
  const { asked, inLine, attached } = await typed(line, { "mcp.prompt": filled });
  expect(asked).toMatchObject([{ server: "looms", values }]);
  expect([inLine, attached]).toEqual(["n1: Look at it.", ["today.txt"]]);
});

test.each([
  ["/prompt", "looms:review change=… [tone=…]"],
  ["/prompt looms:review", "It needs change. Write /prompt looms:review change=… [tone=…]."],
  ["/prompt looms:review change=one colour=red", "There is no field for colour=red."],
  ["/looms:reviw", "There is no prompt looms:reviw. Did you mean looms:review"],
])("%s changes nothing and says what to write", async (line, words) => {
  const { asked, inLine, shown } = await typed(line);
  expect([asked, inLine]).toEqual([[], null]);
  expect(shown).toContain(words);
});
