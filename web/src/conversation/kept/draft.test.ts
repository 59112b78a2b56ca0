import { expect, test, vi } from "vitest";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { Draft } from "./draft.ts";
import { keptView } from "./kept-view.ts";

let roots = 0;
/** Returns a new conversation for each test, because stored words last until the page closes. */
const kept = () => keptView(`root_draft_${(roots += 1)}` as RootId);

test("a draft keeps unsent words across a reload and a visit to another conversation", () => {
  const memory = kept();
  const draft = new Draft(memory);
  draft.setText("half a thought");
  draft.setPasted("a long text");
  expect(new Draft(memory).get()).toEqual({ text: "half a thought", pasted: "a long text" });
});

test("a draft notifies subscribers once of a change and never of an equal value", () => {
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

test("reload reads words typed in another tab", () => {
  const memory = kept();
  const draft = new Draft(memory);
  draft.setText("here");
  memory.draft.set("there");
  draft.reload();
  expect(draft.get().text).toBe("there");
});

test("take empties the draft, and putBack inserts words before those typed since", () => {
  const memory = kept();
  const draft = new Draft(memory);
  draft.setText("sent");
  expect(draft.take()).toEqual({ text: "sent", pasted: "" });
  expect(memory.draft.get()).toBe("");
  draft.setText("typed since");
  draft.putBack(["sent"]);
  expect(draft.get().text).toBe("sent\n\ntyped since");
});

test("takeUnsent restores a message that an earlier page did not send, once", () => {
  const memory = kept();
  memory.outgoing.set("unsent");
  memory.draft.set("and more");
  const draft = new Draft(memory);
  draft.takeUnsent();
  draft.takeUnsent();
  expect(draft.get().text).toBe("unsent\n\nand more");
});

test("insertPasted moves pasted text before the composer's words", () => {
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
])("append adds a phrase after %j with one space between", (text, after) => {
  const draft = new Draft(kept());
  draft.setText(text);
  draft.append("`a.md` ");
  expect(draft.get().text).toBe(after);
});

test("a draft without a conversation keeps words until the page closes", () => {
  const draft = new Draft(null);
  draft.setText("words");
  draft.takeUnsent();
  expect(draft.get().text).toBe("words");
});
