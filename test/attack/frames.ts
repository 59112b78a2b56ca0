import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { protocolVersion, schemaHash } from "../../src/core/protocol/version.ts";
import { usualBound, type Attack, type Target } from "./attack.ts";
import { openBare, requestBytes } from "./bare-socket.ts";

/** Bytes that a WebSocket may not send, or that say what no client says. Each ends its connection or is refused. */
const shapes: readonly (readonly [name: string, frames: (hello: Buffer) => readonly Buffer[], welcomed: boolean])[] = [
  ["no frame at all", () => [Buffer.from("GET / HTTP/1.1\r\n\r\n")], false],
  ["no mask", () => [Buffer.from([0x81, 0x02, 0x7b, 0x7d])], false],
  ["reserved bits", () => [frame(0xf1, "{}")], false],
  ["a packed frame that was not agreed on", () => [frame(0xc1, "{}")], false],
  ["an unknown kind of frame", () => [frame(0x83, "{}")], false],
  ["a ping in pieces", () => [frame(0x09, "x")], false],
  ["a ping that is too long", () => [frame(0x89, "x".repeat(126))], false],
  ["a continuation of nothing", () => [frame(0x80, "{}")], false],
  ["a text in the middle of a text", () => [frame(0x01, "{"), frame(0x81, "}")], false],
  ["a length of 2^63 bytes", () => [lengthOf(0xffffffffffffffffn)], false],
  ["a length of 2 GiB, and nothing behind it", () => [lengthOf(1n << 31n)], true],
  ["half a character", () => [frame(0x81, Buffer.from([0xc3]))], false],
  ["a close with an impossible code", () => [frame(0x88, Buffer.from([0x03, 0xed]))], false],
  ["a close of one byte", () => [frame(0x88, Buffer.from([0x03]))], false],
  ["bytes", () => times(3, () => frame(0x82, randomBytes(64))), true],
  ["no JSON", () => times(3, () => frame(0x81, "{")), true],
  ["endless depth", () => times(3, () => frame(0x81, `{"type":${"[".repeat(50_000)}${"]".repeat(50_000)}}`)), true],
  ["a hundred thousand keys", () => times(3, () => frame(0x81, keys(100_000))), true],
  ["a frame above the limit", () => [frame(0x81, "x".repeat(1_100_000))], true],
  ["ten thousand empty pieces", () => [frame(0x01, ""), ...times(10_000, () => frame(0x00, ""))], true],
  ["a second hello, again and again", (hello) => times(3, () => hello), true],
];

/** Sends every shape, again and again, on connections of its own. */
export const frames: Attack = {
  says: `${shapes.length} kinds of bad frames, one connection after another`,
  async run(target: Target) {
    const end = performance.now() + target.seconds * 1000;
    const found = new Set<string>();
    do {
      for (const shape of shapes) {
        const problem = await send(target, shape);
        if (problem !== null) found.add(problem);
      }
    } while (performance.now() < end);
    return [...found];
  },
  bound: usualBound,
};

/** Returns what is wrong with the server's answer; null: it ended the connection, as it should. */
async function send({ port, token }: Target, [name, bytes, welcomed]: (typeof shapes)[number]): Promise<string | null> {
  const upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
  const key = `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`;
  const socket = openBare(port, requestBytes(port, "/ws", [...upgrade, key]));
  let heard = "";
  socket.on("data", (data: Buffer) => (heard += data.toString("latin1")));
  socket.on("end", () => socket.destroy());
  const says = { type: "hello", protocol: protocolVersion, schemaHash, clientId: "attacker-of-frames", token };
  const hello = frame(0x81, JSON.stringify(says));
  try {
    if (!(await until(() => heard.includes("\r\n\r\n")))) return `${name}: there was no upgrade`;
    if (welcomed) {
      socket.write(hello);
      if (!(await until(() => heard.includes('"welcome"')))) return `${name}: the hello was not answered`;
    }
    for (const each of bytes(hello)) socket.write(each);
    return (await until(() => socket.destroyed)) ? null : `${name}: the connection goes on`;
  } finally {
    socket.destroy();
  }
}

/** Waits up to the time that the server gives a connection which says nothing more. */
async function until(holds: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < 8_000; waited += 10) {
    if (holds()) return true;
    await delay(10);
  }
  return false;
}

/** A frame as clients send them, masked. `first` is its first byte: the end mark, reserved bits and the kind. */
function frame(first: number, content: string | Buffer): Buffer {
  const payload = Buffer.from(content);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([first, 0x80 | length]), mask, masked]);
  const size = Buffer.alloc(length < 65_536 ? 2 : 8);
  if (length < 65_536) size.writeUInt16BE(length);
  else size.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([first, 0x80 | (length < 65_536 ? 126 : 127)]), size, mask, masked]);
}

/** The beginning of a frame that claims a length. */
function lengthOf(length: bigint): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(length);
  return Buffer.concat([Buffer.from([0x81, 0xff]), size, randomBytes(4)]);
}

function times(count: number, make: () => Buffer): readonly Buffer[] {
  return Array.from({ length: count }, make);
}

function keys(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0])));
}
