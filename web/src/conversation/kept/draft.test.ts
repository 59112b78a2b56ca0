import { expect, test, vi } from "vitest";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { Draft } from "./draft.ts";
import { keptView } from "./kept-view.ts";

let roots = 0;
/** A conversation of its own for each test: stored words last as long as the page. */
const kept = () => keptView(`root_draft_${(roots += 1)}` as RootId);

test("unsent words survive a reload and a visit to another conversation", () => {
  const memory = kept();
  const draft = new Draft(memory);
  draft.setText("half a thought");
  draft.setPasted("a long text");
  expect(new Draft(memory).get()).toEqual({ text: "half a thought", pasted: "a long text" });
});

test("subscribers hear of a change once, and of an equal value never", () => {
  const draft = new Draft(kept());
  const heard = vi.fn();
  const stop = draft.subscribe(heard);
  draft.setText("a");
  draft.setText("a");
  const words = draft.get();
  draft.reload();
  expect(draft.get()).toBe(words);
  expect(heard).toHaveBeenCalledTimes(1);
  stop();
  draft.setText("b");
  expect(heard).toHaveBeenCalledTimes(1);
});

test("reload takes over what another tab has typed", () => {
  const memory = kept();
  const draft = new Draft(memory);
  draft.setText("here");
  memory.draft.set("there");
  draft.reload();
  expect(draft.get().text).toBe("there");
});

test("take leaves nothing, and words put back stand before what was typed since", () => {
  const memory = kept();
  const draft = new Draft(memory);
  draft.setText("sent");
  expect(draft.take()).toEqual({ text: "sent", pasted: "" });
  expect(memory.draft.get()).toBe("");
  draft.setText("typed since");
  draft.putBack(["sent"]);
  expect(draft.get().text).toBe("sent\n\ntyped since");
});

test("a message that the last page could not send comes back once", () => {
  const memory = kept();
  memory.outgoing.set("unsent");
  memory.draft.set("and more");
  const draft = new Draft(memory);
  draft.takeUnsent();
  draft.takeUnsent();
  expect(draft.get().text).toBe("unsent\n\nand more");
});

test("a pasted text moves in front of the composer's words", () => {
  const draft = new Draft(kept());
  draft.setPasted("quoted");
  draft.setText("about it");
  draft.insertPasted();
  expect(draft.get()).toEqual({ text: "quoted\n\nabout it", pasted: "" });
});

test.each([
  ["", "`a.md` "],
  ["see", "see `a.md` "],
  ["see ", "see `a.md` "],
])("a phrase is added behind %j with one space between", (text, after) => {
  const draft = new Draft(kept());
  draft.setText(text);
  draft.append("`a.md` ");
  expect(draft.get().text).toBe(after);
});

test("without a conversation words last as long as the page", () => {
  const draft = new Draft(null);
  draft.setText("words");
  draft.takeUnsent();
  expect(draft.get().text).toBe("words");
});
