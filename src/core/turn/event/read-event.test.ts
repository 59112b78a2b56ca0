import { expect, test } from "vitest";
import { readTurnEvent } from "./read-event.ts";

const finished = (facts: object) => ({
  type: "response-finished",
  attempt: 1,
  message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
  usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 0, thinkingTokens: 0 },
  facts,
});
const known = { policy: "serial-one", writes: [], contextUsed: 0.85 };

test.each([true, false])(
  "an event of an earlier version, which says contextTold: %s, is read with contextWarned",
  (warned) => {
    const read = readTurnEvent(finished({ ...known, contextTold: warned }));
    expect(read).toEqual(readTurnEvent(finished({ ...known, contextWarned: warned })));
    expect(read).toMatchObject({ ok: true, value: { facts: { ...known, contextWarned: warned } } });
  },
);

test("an event that says neither is refused with the missing field", () => {
  expect(readTurnEvent(finished(known))).toMatchObject({
    ok: false,
    error: { code: "TRACE_INVALID", details: { at: "facts.contextWarned" } },
  });
});
