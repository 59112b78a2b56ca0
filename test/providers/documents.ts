import fc from "fast-check";

interface Piece {
  readonly type: "heading" | "text" | "other";
  readonly lines: readonly string[];
  readonly level?: number;
  readonly name?: string;
}

const headingName = fc.constantFrom(
  "Goals",
  "Plan",
  "Résumé 😀",
  "Notes on *style*",
  "Plan",
  "1.2 Budget",
  "Introduction",
  "`code` names",
);
const level = fc.integer({ min: 1, max: 4 });
const atx = fc.tuple(level, headingName, fc.constantFrom("", " ##")).map(([depth, name, tail]): Piece => ({
  type: "heading",
  level: depth,
  name,
  lines: [`${"#".repeat(depth)} ${name}${tail}`],
}));
const setext = fc.tuple(headingName, fc.boolean()).map(([name, first]): Piece => {
  // A name that begins like a list item is a list item, even with an underline below it.
  const plain = /^\d/u.test(name) ? "Budget" : name;
  return { type: "heading", level: first ? 1 : 2, name: plain, lines: [plain, first ? "=====" : "---"] };
});
const prose: fc.Arbitrary<Piece> = fc
  .constantFrom<readonly string[]>(
    ["This is really a very plain paragraph, in order to have one."],
    ["A paragraph over", "two lines, which is", "quite common in practice (and harmless)."],
    ["Ünïcödé — “quotes”, 世界 and 😀 are text like any other."],
    ["- an item", "- another item that is basically here", "  goes on"],
    ["1. first", "2. second"],
    ["> # not a heading, but quoted"],
  )
  .map((lines): Piece => ({ type: "text", lines }));
const other: fc.Arbitrary<Piece> = fc
  .constantFrom<readonly string[]>(
    ["```md", "# not a heading", "", "very really just code in order to stay", "```"],
    ["~~~", "```", "## neither", "~~~"],
    ["    # indented code is very plain"],
    ["***"],
    ["| a | b |", "|---|---|", "| really | very |"],
    ["<!-- # hidden", "# hidden too", "-->"],
  )
  .map((lines): Piece => ({ type: "other", lines }));
const pieces = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: atx },
    { weight: 1, arbitrary: setext },
    { weight: 4, arbitrary: prose },
    { weight: 2, arbitrary: other },
  ),
  {
    maxLength: 14,
  },
);

/** A document, and its real headings. */
export interface Document {
  readonly text: string;
  readonly headings: readonly { readonly line: number; readonly level: number; readonly name: string }[];
}

/** Generates documents as people write them, with everything that looks like a heading and is none. */
export const document: fc.Arbitrary<Document> = fc
  .record({
    pieces,
    blankBetween: fc.constantFrom(1, 1, 1, 2),
    lineEnd: fc.constantFrom("\n", "\n", "\r\n"),
    terminated: fc.boolean(),
    frontMatter: fc.boolean(),
  })
  .map(({ pieces: list, blankBetween, lineEnd, terminated, frontMatter }) => {
    const lines: string[] = frontMatter && list.length > 0 ? ["---", "title: very plain", "---", ""] : [];
    const headings: { line: number; level: number; name: string }[] = [];
    for (const [at, piece] of list.entries()) {
      if (at > 0) lines.push(...Array.from({ length: blankBetween }, () => ""));
      if (piece.type === "heading")
        headings.push({ line: lines.length + 1, level: piece.level ?? 1, name: piece.name ?? "" });
      lines.push(...piece.lines);
    }
    return { text: lines.join(lineEnd) + (terminated && lines.length > 0 ? lineEnd : ""), headings };
  });
