import { decodeBase64, encodeBase64 } from "../../src/core/base/base64.ts";
import { must } from "../../src/core/base/assert.ts";
import { protocolVersion, schemaHash } from "../../src/core/protocol/version.ts";
import { createDocument, decodeDocument } from "../../src/core/text/document.ts";
import { trustedLimits } from "../../src/core/text/trusted-limits.ts";
import type { ReplicaId, TextDocument } from "../../src/core/text/types.ts";
import { clientFrame } from "./thin-socket.ts";
import type { Joining, JoinOptions, Wire, Writer } from "./wire.ts";

/** Heddle's own protocol. Writers are real replicas: they merge others' updates, as a page does. */
export const heddleWire: Wire = {
  path: () => "/ws",
  join: (options) => new HeddleClient(options),
};

interface Down {
  readonly type: string;
  readonly replica?: ReplicaId;
  readonly text?: string;
  readonly change?: {
    readonly body: {
      readonly type: string;
      readonly update?: string;
      readonly spans?: readonly { replica: number; seq: number }[];
    };
  };
}

class HeddleClient implements Joining {
  readonly opening: readonly Buffer[];
  readonly #room: string;
  readonly #client: number;
  #replica = 0 as ReplicaId;
  #document: TextDocument = createDocument();

  constructor({ listening, room, client }: JoinOptions) {
    this.#room = room;
    this.#client = client;
    const clientId = `bench-client-${String(client).padStart(8, "0")}`;
    const hello = { type: "hello", protocol: protocolVersion, schemaHash, token: listening.token, clientId };
    this.opening = [text(hello), text({ type: "watch-block", blockId: room, afterVersion: 0 })];
  }

  joined(frame: Buffer): boolean {
    for (const message of messages(frame)) {
      if (message.type === "welcome") this.#replica = must(message.replica, "a welcome names a replica");
      if (message.type !== "block-snapshot") continue;
      const decoded = decodeDocument(must(decodeBase64(message.text ?? ""), "base64"), trustedLimits);
      this.#document = decoded.ok ? decoded.value : this.#document;
      return true;
    }
    return false;
  }

  writer(): Writer {
    const document = this.#document;
    const replica = this.#replica;
    let sent = 0;
    // Everybody continues where they typed last, as people do.
    let cursor = document.length;
    return {
      next: (letters) => {
        const seq = document.nextSeq(replica);
        const edited = document.edit(replica, [{ from: cursor, to: cursor, insert: letters }]);
        if (!edited.ok) throw new Error(edited.error.code);
        cursor += letters.length;
        sent += 1;
        const requestId = `bench-${this.#client}-${sent}-0123456789`;
        const frame = text({ type: "push", requestId, blockId: this.#room, update: encodeBase64(edited.value.update) });
        return { frame, mark: `${replica}/${seq}` };
      },
      hear(frame) {
        for (const { change } of messages(frame)) {
          const own = change?.body.spans?.[0]?.replica === replica;
          const update = change?.body.update;
          if (own || update === undefined) continue;
          const merged = document.merge(must(decodeBase64(update), "base64"), trustedLimits);
          if (!merged.ok) throw new Error(merged.error.code);
          for (const { from, to, insert } of merged.value.delta) {
            if (from < cursor) cursor += insert.length - (Math.min(to, cursor) - from);
          }
        }
      },
    };
  }

  delivered(frame: Buffer): readonly string[] {
    return messages(frame).flatMap(({ change }) => {
      const span = change?.body.spans?.[0];
      return span === undefined ? [] : [`${span.replica}/${span.seq}`];
    });
  }
}

function messages(frame: Buffer): readonly Down[] {
  return JSON.parse(frame.toString()) as readonly Down[];
}

function text(message: object): Buffer {
  return clientFrame(Buffer.from(JSON.stringify(message)), 1);
}
