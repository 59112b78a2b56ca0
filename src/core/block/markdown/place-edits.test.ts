import { describe, expect, test } from "vitest";
import { lineHash } from "../../base/lines.ts";
import { applyChanges } from "../change/text-change.ts";
import { planPlaceEdits, type PlaceEdit } from "./place-edits.ts";

const text = "Intro.\n\n# One\n\nFirst.\nSecond.\n\n- a\n- b\n  - c\n\n## Part\n\nOld.\n\nTwo\n---\n\nLast.\n";

function edited(...edits: readonly PlaceEdit[]): string {
  return editedIn(text, ...edits);
}

function editedIn(given: string, ...edits: readonly PlaceEdit[]): string {
  const plan = planPlaceEdits(given, edits);
  return plan.ok ? applyChanges(given, plan.value) : plan.error.code;
}

const anchorOf = (line: number): string => `${line}:${lineHash(text.split("\n")[line - 1] ?? "")}`;

describe("14.6 edits by place", () => {
  test.each<readonly [string, PlaceEdit, string, string]>([
    ["an anchor", { anchor: anchorOf(5), text: "1st." }, "First.\n", "1st.\n"],
    ["a range of anchors", { anchor: `${anchorOf(5)}..${anchorOf(6)}`, text: "Both." }, "First.\nSecond.\n", "Both.\n"],
    ["before an anchor", { anchor: anchorOf(6), action: "before", text: "1.5" }, "Second.", "1.5\nSecond."],
    ["after an anchor", { anchor: anchorOf(5), action: "after", text: "1.5" }, "First.\n", "First.\n1.5\n"],
    ["deleting at an anchor", { anchor: anchorOf(5), action: "delete" }, "First.\n", ""],
    ["an empty replacement at an anchor", { anchor: anchorOf(5), text: "" }, "First.\n", ""],
    ["a section by number", { section: "1.1", text: "New.\n" }, "Old.", "New."],
    ["a section by title", { section: "Part", text: "New." }, "Old.", "New."],
    ["a section with an underlined heading", { section: "Two", text: "End." }, "Last.", "End."],
    ["after a section", { section: "Part", action: "after", text: "More." }, "Old.\n", "Old.\n\nMore.\n"],
    ["before a section", { section: "Part", action: "before", text: "Up.\n\n" }, "## Part", "Up.\n\n## Part"],
    ["a deleted section", { section: "Part", action: "delete" }, "## Part\n\nOld.\n", ""],
    ["the part before the headings", { section: "0", text: "Hi." }, "Intro.", "Hi."],
    ["a list item", { section: "One", list_item: "1", text: "- A" }, "- a", "- A"],
    ["a list item with those within it", { section: "One", list_item: "2", text: "- B" }, "- b\n  - c", "- B"],
    ["after a list item", { section: "One", list_item: "2", action: "after", text: "- d" }, "  - c\n", "  - c\n- d\n"],
    ["a deleted list item", { section: "One", list_item: "2.1", action: "delete" }, "  - c\n", ""],
    ["a passage", { search: "Second", text: "2nd" }, "Second", "2nd"],
    ["after a passage", { search: "Second", action: "after", text: " one" }, "Second", "Second one"],
    ["a deleted passage", { search: "Second.\n", action: "delete" }, "Second.\n", ""],
  ])("14.6 changes %s and nothing else", (_name, edit, from, to) => {
    expect(edited(edit)).toBe(text.replace(from, to));
  });

  test("14.6 words before a line that another edit of the call replaces come before the new line", () => {
    const replace: PlaceEdit = { anchor: anchorOf(5), text: "1st." };
    const before: PlaceEdit = { anchor: anchorOf(5), action: "before", text: "Zeroth." };
    const expected = text.replace("First.\n", "Zeroth.\n1st.\n");
    expect([edited(replace, before), edited(before, replace)]).toEqual([expected, expected]);
  });

  test("14.6 several edits refer to the text before the call", async () => {
    const edits: PlaceEdit[] = [
      { section: "Two", text: "End." },
      { anchor: anchorOf(1), text: "Hello." },
      { search: "Old", text: "New" },
      { section: "One", list_item: "1", action: "after", text: "- a2" },
    ];
    const expected = text
      .replace("Last.", "End.")
      .replace("Intro.", "Hello.")
      .replace("Old", "New")
      .replace("- a\n", "- a\n- a2\n");
    expect(edited(...edits)).toBe(expected);
    expect(edited(...edits.toReversed())).toBe(expected);
  });

  test.each<readonly [string, readonly PlaceEdit[], string]>([
    ["a changed line", [{ anchor: "5:0000", text: "x" }], "ANCHOR_MISMATCH"],
    ["an unknown section", [{ section: "Nowhere", text: "x" }], "ADDRESS_NOT_FOUND"],
    ["an unknown list item", [{ section: "One", list_item: "9", text: "x" }], "ADDRESS_NOT_FOUND"],
    ["a passage that does not occur", [{ search: "Zzz", text: "x" }], "CONTENT_MISMATCH"],
    ["a passage that occurs twice", [{ search: "t", text: "x" }], "CONTENT_MISMATCH"],
    ["two places in one edit", [{ section: "One", search: "a", text: "x" }], "INVALID_PARAMS"],
    ["no place", [{ text: "x" }], "INVALID_PARAMS"],
    ["no text", [{ section: "One" }], "INVALID_PARAMS"],
    ["text to delete", [{ section: "One", action: "delete", text: "x" }], "INVALID_PARAMS"],
    ["half a character", [{ search: "First", text: "\ud800" }], "TEXT_MALFORMED"],
    [
      "a section and a passage in it",
      [
        { section: "Part", text: "x" },
        { search: "Old", text: "y" },
      ],
      "OVERLAPPING_OPERATIONS",
    ],
  ])("14.6 refuses %s", (_name, edits, code) => {
    expect(edited(...edits)).toBe(code);
  });

  test("14.6 a refusal names the edit", () => {
    const plan = planPlaceEdits(text, [
      { search: "Old", text: "x" },
      { anchor: "5:0000", text: "x" },
    ]);
    expect(plan).toMatchObject({ ok: false, error: { details: { edit_index: 1 } } });
  });

  test("14.6 keeps the line ends of the text, and a missing final newline", () => {
    const crlf = "# A\r\n\r\nold\r\n\r\n# B\r\n\r\nend";
    expect(editedIn(crlf, { section: "A", text: "x\ny" })).toBe("# A\r\n\r\nx\r\ny\r\n\r\n# B\r\n\r\nend");
    expect(editedIn(crlf, { section: "B", text: "x" })).toBe("# A\r\n\r\nold\r\n\r\n# B\r\n\r\nx");
    expect(editedIn(crlf, { section: "B", action: "after", text: "x" })).toBe(
      "# A\r\n\r\nold\r\n\r\n# B\r\n\r\nend\r\n\r\nx",
    );
  });

  test("14.6 an empty section gets its text below its heading", () => {
    expect(editedIn("# A\n# B\n", { section: "A", text: "x" })).toBe("# A\nx\n# B\n");
    expect(editedIn("# A", { section: "A", text: "x" })).toBe("# A\nx");
  });
});
