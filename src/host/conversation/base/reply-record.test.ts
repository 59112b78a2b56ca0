import { expect, test } from "vitest";
import type { AssistantMessage } from "../../../core/message/types.ts";
import { recordFor, type ReplyRecord } from "./reply-record.ts";

const text = { type: "text", text: "Hi." } as const;
const call = { type: "tool-use", id: "call" as never, name: "look", parameters: {} } as const;
const more = { type: "text", text: "Bye." } as const;
const notice = { type: "notice", text: "Cut off." } as const;
const message: AssistantMessage = { role: "assistant", content: [text, call, more] };
const by = { type: "person", id: "ada", name: "Ada" } as never;

test("authors and live blocks follow their content blocks into the message that was saved", () => {
  const edited = { by: [by], original: "Hello." };
  const record: ReplyRecord = {
    message,
    shown: [0, 1, 2, 3].map((block) => ({ id: `live-${block}` as never, block })),
    authors: [
      { block: 2, from: 0, to: 3, actor: by },
      { block: 1, from: 0, to: 1, actor: by },
    ],
    edited,
  };
  const saved: AssistantMessage = { role: "assistant", content: [notice, text, more] };
  expect(recordFor(record, saved)).toEqual({
    message: saved,
    shown: [
      { id: "live-0", block: 1 },
      { id: "live-2", block: 2 },
    ],
    authors: [{ block: 2, from: 0, to: 3, actor: by }],
    edited,
  });
});

test("a reply that nobody edited has neither authors nor an original", () => {
  const saved: AssistantMessage = { role: "assistant", content: [text] };
  expect(recordFor({ message, shown: [] }, saved)).toEqual({ message: saved, shown: [] });
  const ofCall = { message, shown: [], authors: [{ block: 1, from: 0, to: 1, actor: by }] };
  expect(recordFor(ofCall, saved)).toEqual({ message: saved, shown: [] });
});
