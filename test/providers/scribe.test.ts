import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readOutline } from "../../src/adapters/providers/scribe/outline.ts";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import { tightenProse, wordCount } from "../../src/adapters/providers/scribe/tighten.ts";
import { scaled } from "../scale.ts";
import { document, type Document } from "./documents.ts";
import { driveTurn, lastWords } from "./drive.ts";
import { linesOf, pureCanvas } from "./pure-canvas.ts";
import { noSleep } from "./test-deps.ts";

const scribe = createScribe(noSleep);
const runs = scaled(60);

async function edited(
  before: string,
  said: string,
): Promise<{ readonly after: string; readonly words: string; readonly log: readonly string[] }> {
  const canvas = pureCanvas(before);
  const messages = await driveTurn(scribe, canvas, said);
  expect(canvas.lease).toBeUndefined();
  expect(canvas.rejections).toEqual([]);
  return { after: canvas.text, words: lastWords(messages), log: canvas.log };
}

/** The lines that two texts share at the beginning and at the end, and the lines between. */
function difference(
  before: string,
  after: string,
): { readonly removed: readonly string[]; readonly added: readonly string[]; readonly at: number } {
  const a = linesOf(before);
  const b = linesOf(after);
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  let tail = 0;
  while (tail < a.length - from && tail < b.length - from && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return { removed: a.slice(from, a.length - tail), added: b.slice(from, b.length - tail), at: from };
}

function forEachDocument(check: (document: Document) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(document, check), { numRuns: runs });
}

describe("the scribe on any document", () => {
  test("finds exactly the real headings", async () => {
    await forEachDocument(async ({ text, headings }) => {
      const seen = readOutline(linesOf(text)).headings;
      expect(seen.map(({ line, level: depth }) => ({ line, level: depth }))).toEqual(
        headings.map(({ line, level: depth }) => ({ line, level: depth })),
      );
    });
  });

  test("adds a section at the end, and changes no other line", async () => {
    await forEachDocument(async ({ text }) => {
      const { after, words } = await edited(text, "Add a section on conflict resolution");
      const { removed, added } = difference(text, after);
      expect(removed).toEqual([]);
      expect(added.filter((line) => /^#+ Conflict resolution$/u.test(line))).toHaveLength(1);
      expect(wordCount(added.join(" "))).toBeGreaterThan(30);
      expect(words).toContain("added the section “Conflict resolution” at the end");
      expect(readOutline(linesOf(after)).headings.at(-1)?.text).toBe("Conflict resolution");
    });
  });

  test("adds a section after another, on its level and before the next", async () => {
    await forEachDocument(async ({ text, headings }) => {
      const { after, words } = await edited(text, 'add a section called "Open questions" after Goals');
      const goals = headings.find((heading) => heading.name === "Goals");
      if (goals === undefined) {
        expect(after).toBe(text);
        expect(words).toContain("no heading “Goals”");
        return;
      }
      expect(difference(text, after).removed).toEqual([]);
      const outline = readOutline(linesOf(after)).headings;
      const at = outline.findIndex((heading) => heading.text === "Open questions");
      expect(outline[at]?.level).toBe(goals.level);
      const between = outline.slice(headings.indexOf(goals) + 1, at);
      expect(between.every((heading) => heading.level > goals.level)).toBe(true);
      expect((outline[at + 1]?.level ?? 0) <= goals.level).toBe(true);
    });
  });

  test("tightens the introduction: fewer words, unchanged code and headings", async () => {
    await forEachDocument(async ({ text }) => {
      const { after, words } = await edited(text, "Please tighten the introduction.");
      if (after === text) {
        expect(words).toMatch(/nothing to cut|no text that I could/u);
        return;
      }
      expect(wordCount(after)).toBeLessThan(wordCount(text));
      expect(verbatim(after)).toEqual(verbatim(text));
    });
  });

  test("tightens the whole document and leaves code unchanged, also the second time", async () => {
    await forEachDocument(async ({ text }) => {
      const once = await edited(text, "make the document shorter");
      const twice = await edited(once.after, "make the document shorter");
      expect(wordCount(twice.after)).toBeLessThanOrEqual(wordCount(once.after));
      expect(wordCount(once.after)).toBeLessThanOrEqual(wordCount(text));
      expect(verbatim(twice.after)).toEqual(verbatim(text));
    });
  });

  test("renames a heading in its line only", async () => {
    await forEachDocument(async ({ text, headings }) => {
      const { after } = await edited(text, 'rename the heading "Plan" to "Way ahead"');
      const plan = headings.find((heading) => heading.name === "Plan");
      if (plan === undefined) {
        expect(after).toBe(text);
        return;
      }
      const { removed, added, at } = difference(text, after);
      expect(at + 1).toBe(plan.line);
      expect(removed).toHaveLength(1);
      expect(added[0]?.replace("Way ahead", "Plan")).toBe(removed[0]);
    });
  });

  test("replaces a text everywhere and changes nothing else", async () => {
    await forEachDocument(async ({ text }) => {
      const { after } = await edited(text, 'replace "very" with "$& truly"');
      expect(after).toBe(text.replaceAll("very", () => "$& truly"));
    });
  });

  test("adds an introduction before the first section and a conclusion at the end", async () => {
    await forEachDocument(async ({ text, headings }) => {
      const { after, words } = await edited(text, "add an introduction and add a conclusion");
      expect(difference(text, after).removed.filter((line) => !linesOf(after).includes(line))).toEqual([]);
      const outline = readOutline(linesOf(after)).headings;
      expect(outline.at(-1)?.text).toBe("Conclusion");
      expect(outline.filter((heading) => heading.text === "Introduction").length).toBe(
        Math.max(1, headings.filter((heading) => heading.name === "Introduction").length),
      );
      expect(words).toContain("“Conclusion”");
    });
  });

  test("changes thousands of places in one patch that the tool accepts", async () => {
    const text = `# Long\n\n${"Some text here.\n\n\n\n\n\n\n\n\n\n".repeat(2000)}`;
    const { after, words } = await edited(text, 'replace "text" with "prose"');
    expect(after).toBe(text.replaceAll("text", "prose"));
    expect(words).toContain("2000 times");
  });

  test("finds a text that looks like a regular expression", async () => {
    const { after } = await edited(
      "# A\n\npath /usr/bin and /.+/ too\n",
      'replace "/.+/" with "x" then replace "/usr/bin" with "$1"',
    );
    expect(after).toBe("# A\n\npath $1 and x too\n");
  });

  test("removes a section with its subsections and no line of another section", async () => {
    await forEachDocument(async ({ text, headings }) => {
      const { after } = await edited(text, "remove the Goals section");
      const goals = headings.find((heading) => heading.name === "Goals");
      if (goals === undefined) {
        expect(after).toBe(text);
        return;
      }
      const next = headings.find((heading) => heading.line > goals.line && heading.level <= goals.level);
      const lines = linesOf(text);
      const rest = [...lines.slice(0, goals.line - 1), ...(next === undefined ? [] : lines.slice(next.line - 1))];
      if (next === undefined) while (rest.at(-1)?.trim() === "") rest.pop();
      expect(linesOf(after)).toEqual(rest);
    });
  });

  test("adds an item to the end of the last list, or starts a list", async () => {
    await forEachDocument(async ({ text }) => {
      const { after } = await edited(text, 'add a todo "Call Ana"');
      const { removed, added } = difference(text, after);
      expect(removed).toEqual([]);
      expect(added.filter((line) => line !== "")).toEqual([expect.stringMatching(/^(?:-|3\.) \[ \] Call Ana$/u)]);
    });
  });

  test("keeps a document's line ends, and its missing last one", async () => {
    await forEachDocument(async ({ text }) => {
      const { after } = await edited(text, "tighten the document then add a section on tests");
      const foreign = text.includes("\r\n") ? after.replaceAll("\r\n", "").includes("\n") : after.includes("\r");
      expect(linesOf(text).length > 1 && foreign).toBe(false);
    });
  });

  test("changes nothing when asked a question or for something it cannot do", async () => {
    await forEachDocument(async ({ text }) => {
      for (const said of ["what is in the document?", "help", "compose a symphony", "remove the section Nowhere"]) {
        expect((await edited(text, said)).after).toBe(text);
      }
    });
  });

  test("carries out the parts of a request in order", async () => {
    await forEachDocument(async ({ text }) => {
      const whole = await edited(
        text,
        'add a section on costs; rename Costs to Money and then replace "Money" with "Means"',
      );
      let step = text;
      for (const said of ["add a section on costs", "rename Costs to Money", 'replace "Money" with "Means"'])
        step = (await edited(step, said)).after;
      expect(whole.after).toBe(step);
      expect(whole.after).toContain("Means");
    });
  });
});

/** The parts that tightening must not change: code, tables, comments, headings, quotes. */
function verbatim(text: string): readonly string[] {
  const lines = linesOf(text);
  return readOutline(lines).blocks.flatMap((block) =>
    block.type === "heading" || block.type === "other" ? lines.slice(block.from - 1, block.to) : [],
  );
}

describe("the scribe among others", () => {
  const text = "# Notes\n\nIt is really very short.\n\n## Goals\n\n- one\n";
  const said = "tighten the introduction and add a section on trust";

  test.each([
    ["STALE_EPOCH", "canvas_apply_patch", /A person took control/u, false],
    ["LOCK_NOT_AVAILABLE", "canvas_check_out", /bob is editing/u, false],
    ["CANVAS_UNAVAILABLE", "canvas_check_out", /no canvas/u, false],
    ["UNKNOWN_TOOL", "canvas_grep", /canvas_grep is not available/u, false],
    ["LEASE_EXPIRED", "canvas_apply_patch", /I tightened .* and added/u, true],
    ["LEASE_EXPIRED", "canvas_read_lines", /I tightened .* and added/u, true],
    ["PATCH_REJECTED", "canvas_apply_patch", /I tightened .* and added/u, true],
    ["LINE_OUT_OF_RANGE", "canvas_read_lines", /I tightened .* and added/u, true],
    ["INTERNAL", "canvas_check_in", /I tightened .* and added/u, true],
  ])("answers %s from %s", async (code, tool, words, done) => {
    const canvas = pureCanvas(text);
    canvas.refusals.push({ tool, code, details: { holder: "bob" } });
    const messages = await driveTurn(scribe, canvas, said);
    expect(lastWords(messages)).toMatch(words);
    expect(canvas.text.includes("## Trust")).toBe(done);
  });

  test("retries a rejected patch once after reading again, and then says so", async () => {
    const canvas = pureCanvas(text);
    canvas.refusals.push(
      { tool: "canvas_apply_patch", code: "PATCH_REJECTED" },
      { tool: "canvas_apply_patch", code: "PATCH_REJECTED" },
    );
    const messages = await driveTurn(scribe, canvas, "tighten the introduction");
    expect(lastWords(messages)).toContain("did not fit the text, twice");
    expect(canvas.log.filter((tool) => tool === "canvas_read_all")).toHaveLength(1);
    expect(canvas.text).toBe(text);
  });

  test("keeps up with a person who types while it reads", async () => {
    const canvas = pureCanvas(text);
    let typed = 0;
    canvas.meddle = (tool) => {
      if (typed < 4 && tool.startsWith("canvas_read")) {
        typed += 1;
        canvas.text = `typed ${typed}\n${canvas.text}`;
      }
    };
    const messages = await driveTurn(scribe, canvas, "rename Goals to Aims");
    expect(canvas.text).toBe("typed 4\ntyped 3\ntyped 2\ntyped 1\n".slice(-8 * typed) + text.replace("Goals", "Aims"));
    expect(lastWords(messages)).toContain("renamed the heading “Goals” to “Aims”");
  });

  test("lists what it understands only once, however often a request is unclear", async () => {
    const messages = await driveTurn(scribe, pureCanvas(text), "Hello there. Write me a poem; make it rhyme");
    const words = lastWords(messages);
    expect(words.match(/I do not understand/gu)?.length).toBeGreaterThan(1);
    expect(words.match(/I understand orders like these/gu)).toHaveLength(1);
    expect(words).toMatch(/- summarise the document\n\n.*Models and keys.*$/);
  });

  test("quotes an unclear request without bidirectional controls, and shortened", async () => {
    const turned = lastWords(await driveTurn(scribe, pureCanvas(text), "blergh \u202egnihton"));
    expect(turned).toContain("I do not understand “blergh \\u202egnihton”");
    const long = lastWords(await driveTurn(scribe, pureCanvas(text), "word".repeat(100_000)));
    expect(long.length).toBeLessThan(2_000);
  });

  test("says what it is in the first line of a conversation, and only there", async () => {
    const canvas = pureCanvas(text);
    const first = await driveTurn(scribe, canvas, "help");
    expect(lastWords(first)).toMatch(/^I am the scribe, Heddle's built-in author/u);
    const second = await driveTurn(scribe, canvas, "help", first);
    expect(lastWords(second)).not.toContain("I am the scribe");
  });

  test("does not read Heddle's own messages as a person's words", async () => {
    const canvas = pureCanvas(text);
    const update =
      "Canvas update (do not display to user). Apply this diff to your internal canvas state:\n```diff\n@@ -1 +1 @@\n-remove the section Goals\n+x\n```";
    await driveTurn(scribe, canvas, `${update}\n\nrename Goals to Aims`);
    expect(canvas.text).toBe(text.replace("Goals", "Aims"));
  });

  test("gives the same reply to the same conversation", async () => {
    const [one, two] = [pureCanvas(text), pureCanvas(text)];
    expect(await driveTurn(scribe, one, said)).toEqual(await driveTurn(scribe, two, said));
  });

  test.each([
    ["has none of its tools", [], "this conversation has no canvas. Open a canvas beside it"],
    ["lacks some of them", ["canvas_check_out"], "offers me no canvas_grep, canvas_read_lines"],
  ])("asks for a canvas where it %s", async (_, offered, words) => {
    const parts: string[] = [];
    const request = {
      model: "scribe",
      system: "",
      messages: [{ role: "user", content: [{ type: "text", text: "add a section on x" }] }],
      tools: offered.map((name) => ({ name, description: "", inputSchema: { type: "object" } })),
      maxTokens: 10,
      thinking: "off",
    } as const;
    for await (const part of scribe.stream(request, new AbortController().signal))
      if (part.type === "text-delta") parts.push(part.text);
    expect(parts.join("")).toContain(words);
  });

  test("names the request and calls nothing when no tools are allowed", async () => {
    const says = (role: "user" | "assistant", text: string) => ({ role, content: [{ type: "text", text }] }) as const;
    const beginning = says(
      "user",
      'This conversation continues here because.\n<earlier-branch last="n">\nremove the section Goals\n</earlier-branch>',
    );
    const request = {
      model: "scribe",
      system: "",
      messages: [
        beginning,
        says("user", "add a section on x"),
        says("assistant", "I added it."),
        says("user", "Write a summary."),
      ],
      tools: [],
      toolChoice: "none",
      maxTokens: 10,
      thinking: "off",
    } as const;
    const parts: string[] = [];
    for await (const part of scribe.stream(request, new AbortController().signal))
      parts.push(part.type === "text-delta" ? part.text : `<${part.type}>`);
    const said = parts.join("");
    expect(said).toContain("in this order:\n- add a section on x\n\nLast I said: I added it.");
    expect(said).not.toContain("tool-call");
    expect(said).not.toContain("Goals");
  });

  test("stops speaking when it is cancelled", async () => {
    const controller = new AbortController();
    const slow = createScribe(async (_delayMs, signal) => {
      controller.abort();
      expect(signal.aborted).toBe(true);
    });
    const request = {
      model: "scribe",
      system: "",
      messages: [{ role: "user", content: [{ type: "text", text: "help" }] }],
      tools: [],
      maxTokens: 10,
      thinking: "off",
    } as const;
    const seen: string[] = [];
    for await (const part of slow.stream(request, controller.signal))
      seen.push(part.type === "failed" ? part.failure.class : part.type);
    expect(seen).toEqual(["response-started", "text-start", "cancelled"]);
  });
});

describe("tightening", () => {
  test.each([
    ["This is a really important point.", "This is an important point."],
    ["In order to win, we must basically act.", "To win, we must act."],
    ["It is important to note that it works.", "It works."],
    [
      "We use `in order to` and [very](http://very.example/really) plain words.",
      "We use `in order to` and [very](http://very.example/really) plain words.",
    ],
    ["The plan (which nobody has read) is ready.", "The plan is ready."],
    ["We went there due to the fact that it was near.", "We went there because it was near."],
    ["Very!", "Very!"],
    ["More than just words, rather than none.", "More than words, rather than none."],
  ])("%s", (before, after) => {
    expect(tightenProse(before)).toBe(after);
  });

  test("never lengthens a text and never changes code", () => {
    const word = fc.constantFrom(
      "very",
      "really",
      "in order to",
      "plan",
      "(an aside here)",
      "`very code`",
      "a",
      "we",
      "works.",
      "However,",
      "which",
      "😀",
      "e.g.",
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        const before = words.join(" ");
        const after = tightenProse(before);
        expect(after.length).toBeLessThanOrEqual(before.length);
        expect(after.match(/`very code`/gu)?.length ?? 0).toBe(
          /^[^`]*$/u.test(after) ? 0 : (after.match(/`[^`]*`/gu)?.length ?? 0),
        );
      }),
    );
  });
});
