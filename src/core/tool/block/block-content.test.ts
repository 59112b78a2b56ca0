import { expect, test } from "vitest";
import type { Actor } from "../../base/actor.ts";
import type { ActorId } from "../../base/ids.ts";
import type { HistoryEntry } from "../../block/history.ts";
import { blockHistoryContent } from "./block-content.ts";

const ada: Actor = { type: "person", id: "ada" as ActorId, name: "Ada" };

/** What the history says of one edit. */
function said(body: object, delta: HistoryEntry["delta"] = []): unknown {
  const entry = { firstVersion: 1, version: 2, at: 0, actor: ada, toolCallId: undefined, body, delta };
  const { entries } = blockHistoryContent([entry as unknown as HistoryEntry], false);
  return (entries as readonly { readonly summary: string }[])[0]?.summary;
}

test.each<[object, HistoryEntry["delta"], string]>([
  [{ type: "created", spans: [{ length: 3 }, { length: 4 }] }, [], "created with 7 characters"],
  [{ type: "text" }, [{ from: 0, to: 2, insert: " a\n b " }], "+6 −2 characters, “a b”"],
  [{ type: "text", undoes: {} }, [{ from: 0, to: 2, insert: "" }], "took back: +0 −2 characters"],
  [{ type: "text", redoes: {} }, [{ from: 0, to: 0, insert: "x" }], "put back: +1 −0 characters, “x”"],
  [{ type: "review", hunkIds: ["1", "2"] }, [], "2 suggested hunks rejected"],
  [{ type: "review", hunkIds: ["1"], undoes: {} }, [], "took back: 1 suggested hunks rejected"],
  [{ type: "status", status: "done" }, [], "status done"],
  [{ type: "policy", policy: "lease" }, [], "policy lease"],
  [{ type: "metadata" }, [], "metadata set"],
  [{ type: "flags", collapsed: true, excluded: false }, [], "collapsed, not excluded"],
  [{ type: "flags", collapsed: false, excluded: true }, [], "not collapsed, excluded"],
  [{ type: "deleted" }, [], "deleted"],
  [{ type: "restored" }, [], "restored from the trash"],
])("the history says of %j what was done", (body, delta, summary) => {
  expect(said(body, delta)).toBe(summary);
});
