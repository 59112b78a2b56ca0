import { expect, test } from "vitest";
import { heardEvents } from "./heard-events.ts";

const notice = (uri: string): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } })}\n\n`;
const other = 'data: {"jsonrpc":"2.0","id":1,"result":{"text":"notifications/resources/updated"}}\n\n: keep\n\n';

test("a stream passes on what is heard, however its bytes are cut, and all else as it is", async () => {
  const bytes = new TextEncoder().encode(`${other}${notice("a")}${notice("b·")}${notice("a")}rest`);
  for (const size of [1, 7, 1_000]) {
    async function* cut(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
    }
    let passed = "";
    for await (const text of heardEvents(cut(), (uri) => uri === "b·")) passed += text;
    expect(passed).toBe(`${other}${notice("b·")}rest`);
  }
});
