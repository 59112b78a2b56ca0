import { expect, test } from "vitest";
import type { Message } from "../../../core/message/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import { createScribe } from "./scribe.ts";

/** Returns the tokens that the scribe says it was sent. */
async function inputTokens(messages: readonly Message[]): Promise<number> {
  const scribe = createScribe(async () => {});
  const request = { messages, tools: [], system: "" } as unknown as ModelRequest;
  for await (const part of scribe.stream(request, new AbortController().signal)) {
    if (part.type === "finished") return part.usage.inputTokens;
  }
  throw new Error("the scribe did not finish");
}

test("the scribe counts all messages of each request, also where it has counted their beginning before", async () => {
  const messages: Message[] = [];
  for (let count = 1; count <= 5; count += 1) {
    messages.push({ role: "user", content: [{ type: "text", text: `${"weft ".repeat(count * 7)}${count}` }] });
    const sent = [...messages];
    expect(await inputTokens(sent)).toBe(Math.ceil(JSON.stringify(sent).length / 4));
  }
  const changed = [...messages];
  changed[0] = { role: "user", content: [{ type: "text", text: "warp" }] };
  expect(await inputTokens(changed)).toBe(Math.ceil(JSON.stringify(changed).length / 4));
});
