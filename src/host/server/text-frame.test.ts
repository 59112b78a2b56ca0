import { createRequire } from "node:module";
import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import { textFrame } from "./text-frame.ts";

// The library's reader, which its types leave out.
const { Receiver } = createRequire(import.meta.url)("ws") as {
  readonly Receiver: new (options: { readonly isServer: boolean }) => Writable;
};

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])("a frame of %i bytes is read as it was written", (length) => {
  const heard: string[] = [];
  const receiver = new Receiver({ isServer: false });
  receiver.on("message", (data: Buffer, isBinary: boolean) => heard.push(`${isBinary}: ${data.toString()}`));
  const { bytes, payload } = textFrame("x".repeat(length));
  receiver.write(Buffer.concat([bytes, textFrame("next").bytes]));
  expect(heard).toEqual([`false: ${"x".repeat(length)}`, "false: next"]);
  expect(payload.toString()).toBe("x".repeat(length));
});

test("the length counts bytes, not characters", () => {
  const { bytes, payload } = textFrame("ü€🙂");
  expect(bytes[1]).toBe(9);
  expect(payload.toString()).toBe("ü€🙂");
});
