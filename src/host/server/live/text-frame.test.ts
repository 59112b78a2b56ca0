import { createRequire } from "node:module";
import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import { textFrame } from "./text-frame.ts";

// The library's receiver, which its types omit.
const { Receiver } = createRequire(import.meta.url)("ws") as {
  readonly Receiver: new (options: { readonly isServer: boolean }) => Writable;
};

const json = (text: string): Uint8Array => Buffer.from(JSON.stringify(text));

// With brackets and quotes, the frame is four bytes longer than its text.
test.each([0, 1, 121, 122, 123, 65_531, 65_532, 200_000])("a text of %i bytes is received unchanged", (length) => {
  const heard: string[] = [];
  const receiver = new Receiver({ isServer: false });
  receiver.on("message", (data: Buffer, isBinary: boolean) => heard.push(`${isBinary}: ${data.toString()}`));
  const { bytes, payload } = textFrame([json("x".repeat(length))]);
  receiver.write(Buffer.concat([bytes, textFrame([json("next")]).bytes]));
  expect(heard).toEqual([`false: ["${"x".repeat(length)}"]`, 'false: ["next"]']);
  expect(payload.toString()).toBe(`["${"x".repeat(length)}"]`);
});

test("several values are one array; the length counts bytes, not characters", () => {
  const { bytes, payload } = textFrame([json("ü"), json("€"), json("🙂")]);
  expect(bytes[1]).toBe(19);
  expect(payload.toString()).toBe('["ü","€","🙂"]');
});
