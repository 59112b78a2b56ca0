import { describe, expect, test } from "vitest";
import type { BlockId, ToolCallId } from "../../base/ids.ts";
import type { Taint } from "../../forest/types.ts";
import type { Message, ToolMessage } from "../../message/types.ts";
import type { ToolReach } from "../../tool/base/reach.ts";
import { joinTaints, noTaint, taintOf } from "./taint.ts";

const reaches: Readonly<Record<string, ToolReach>> = {
  think: { readsPrivate: false, bringsUntrusted: false, outward: false },
  read_files: { readsPrivate: true, bringsUntrusted: true, outward: false },
  fetch: { readsPrivate: false, bringsUntrusted: true, outward: true },
};
const reachOf = (name: string): ToolReach | null => reaches[name] ?? null;

function result(tool_name: string, change: Partial<ToolMessage> = {}): ToolMessage {
  const content = [{ type: "text", text: "…" }] as const;
  return { role: "tool", tool_call_id: "c" as ToolCallId, tool_name, content, outcome: "ok", ...change };
}

const text = { type: "text", text: "hi" } as const;
const image = { type: "image", mediaType: "image/png", source: { type: "url", url: "https://a" } } as const;
const update = { canvasId: "c" as BlockId, from: null, to: "1-aa", changedBy: [] };
const whole: Taint = { holdsPrivate: true, holdsUntrusted: true };
const untrusted: Taint = { holdsPrivate: false, holdsUntrusted: true };

describe("taintOf", () => {
  test.each<[string, Message, Taint]>([
    ["a person's words", { role: "user", content: [text] }, noTaint],
    ["a person's words with a picture", { role: "user", content: [image, text] }, whole],
    ["what others changed in a canvas", { role: "user", content: [text], update }, whole],
    ["an instruction of Heddle's", { role: "user", content: [text], instruction: "last-words" }, noTaint],
    ["a model's own words", { role: "assistant", content: [text] }, noTaint],
    [
      "what a provider's own search found",
      { role: "assistant", content: [{ type: "opaque", api: "x", raw: {} }] },
      untrusted,
    ],
    ["a tool that brings nothing", result("think"), noTaint],
    ["a file that was read", result("read_files"), whole],
    ["a page that was fetched", result("fetch"), untrusted],
    ["a page that failed, with words of its own", result("fetch", { outcome: "error" }), untrusted],
    ["a call that Heddle answered", result("fetch", { outcome: "denied", synthetic: true }), noTaint],
    ["a tool that nobody knows any more", result("gone"), whole],
  ])("%s", (_name, message, expected) => {
    expect(taintOf([message], reachOf)).toEqual(expected);
    expect(taintOf([{ role: "user", content: [text] }, message, result("think")], reachOf)).toEqual(expected);
  });

  test("taintOf an empty branch is no taint", () => expect(taintOf([], reachOf)).toEqual(noTaint));

  test("joinTaints gives the taints of both branches", () => {
    const secret = { holdsPrivate: true, holdsUntrusted: false };
    expect(joinTaints(secret, untrusted)).toEqual(whole);
    expect(joinTaints(noTaint, untrusted)).toEqual(untrusted);
  });
});
