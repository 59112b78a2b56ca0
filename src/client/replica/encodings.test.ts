import { expect, test } from "vitest";
import { decodeBase64, encodeBase64 } from "../../core/base/base64.ts";
import { must } from "../../core/base/assert.ts";
import { hash8 } from "../../core/base/hash.ts";
import type { RequestId } from "../../core/base/ids.ts";
import type { UpMessage } from "../../core/protocol/base/messages.ts";
import { createDocument, decodeDocument } from "../../core/text/document.ts";
import { trustedLimits } from "../../core/text/trusted-limits.ts";
import type { ReplicaId, TextDocument } from "../../core/text/types.ts";
import { createBatch } from "../base/observable.ts";
import { headerAt, theBlock } from "./one-block-server.test-support.ts";
import { Replica } from "./replica.ts";

interface Typing {
  readonly replica: Replica;
  /** Updates that the text has encoded so far. */
  encodings(): number;
  readonly pushes: Extract<UpMessage, { type: "push" }>[];
  /** Answers the last push. */
  confirm(): void;
  /** The text of a server that has merged every push. */
  serverText(): string;
}

/** A replica of "begin", whose text counts how often it encodes an update. */
function openTyping(): Typing {
  let encodings = 0;
  let requests = 0;
  const pushes: Extract<UpMessage, { type: "push" }>[] = [];
  const counted = (document: TextDocument): TextDocument =>
    new Proxy(document, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: readonly unknown[]) => {
          if (name === "edit" || name === "updateSince" || name === "cancel" || name === "encode") encodings += 1;
          return Reflect.apply(value, target, args) as unknown;
        };
      },
    });
  const server = createDocument();
  server.edit(1 as ReplicaId, [{ from: 0, to: 0, insert: "begin" }]);
  const replica = new Replica({
    blockId: theBlock,
    batch: createBatch(),
    platform: {
      openSocket: () => ({ send: () => {}, close: () => {} }),
      now: () => 0,
      setTimer: () => () => {},
      random: () => 0,
      onOnline: () => () => {},
    },
    actors: new Map(),
    decode(bytes) {
      const decoded = decodeDocument(bytes, trustedLimits);
      return decoded.ok ? counted(decoded.value) : undefined;
    },
    nextRequestId: () => `request-${(requests += 1)}` as RequestId,
    send: (message) => void (message.type === "push" && pushes.push(message)),
    unconfirmedChanged: () => {},
    closed: () => {},
  });
  replica.connected(7 as ReplicaId, false);
  const text = encodeBase64(server.encode());
  replica.snapshot({ type: "block-snapshot", header: headerAt(2), text, hash: hash8(server.text()), replicas: [] });
  return {
    replica,
    encodings: () => encodings,
    pushes,
    confirm: () => replica.pushed(must(pushes.at(-1), "a push was sent").requestId),
    serverText() {
      for (const { update } of pushes) {
        const merged = server.merge(must(decodeBase64(update), "a push is base64"), trustedLimits);
        expect(merged.ok).toBe(true);
      }
      return server.text();
    },
  };
}

function type({ replica }: Typing, letter: string): void {
  const at = replica.length;
  replica.edit([{ from: at, to: at, insert: letter }]);
}

test("a replica encodes a keystroke exactly once when each is confirmed before the next", () => {
  const typing = openTyping();
  for (let key = 1; key <= 100; key += 1) {
    type(typing, "x");
    expect([key, typing.encodings(), typing.pushes.length]).toEqual([key, key, key]);
    typing.confirm();
  }
  expect(typing.serverText()).toBe(`begin${"x".repeat(100)}`);
});

test("a replica encodes keystrokes that travel together once, together", () => {
  const typing = openTyping();
  for (let key = 1; key <= 100; key += 1) type(typing, "x");
  expect([typing.encodings(), typing.pushes.length]).toEqual([1, 1]);
  typing.confirm();
  expect([typing.encodings(), typing.pushes.length]).toEqual([2, 2]);
  typing.confirm();
  expect(typing.encodings()).toBe(2);
  expect(typing.serverText()).toBe(`begin${"x".repeat(100)}`);
});

test("a replica encodes nothing again when it sends a push again", () => {
  const typing = openTyping();
  type(typing, "x");
  type(typing, "y");
  for (let time = 0; time < 3; time += 1) {
    typing.replica.disconnected();
    typing.replica.connected(7 as ReplicaId, false);
  }
  expect(typing.encodings()).toBe(2);
  expect(new Set(typing.pushes.map(({ requestId }) => requestId)).size).toBe(2);
  expect(typing.serverText()).toBe("beginxy");
});
