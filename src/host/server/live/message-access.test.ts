import { expect, test } from "vitest";
import type { BlockId, RequestId, RootId } from "../../../core/base/ids.ts";
import type { Grant } from "../../../core/protocol/base/grant.ts";
import { whyNotMessage } from "../../access/why-not-allowed.ts";
import type { Message } from "./connection-state.ts";
import { accessOfMessage } from "./message-access.ts";

const [blockId, rootId, requestId] = ["doc/1/1" as BlockId, "root_1" as RootId, "request" as RequestId];
const list = { of: "canvases", filter: "", count: 5 } as const;

type Rows = { readonly [T in Message["type"]]: readonly [Omit<Extract<Message, { type: T }>, "type">, string] };

/** Which tokens may send a message: that may only write, that read one document, one conversation, or everything. */
const rows: Rows = {
  "watch-workspace": [{}, "reads all"],
  "watch-list": [{ list }, "reads all"],
  "unwatch-list": [{ list }, "reads all"],
  look: [{ seen: true }, "reads all"],
  ping: [{}, "writes, reads document, reads conversation, reads all"],
  call: [{ requestId, command: "x", params: {} }, "writes, reads document, reads conversation, reads all"],
  "watch-conversation": [{ rootId, afterSeq: 0 }, "reads conversation, reads all"],
  "unwatch-conversation": [{ rootId }, "reads conversation, reads all"],
  "watch-block": [{ blockId, afterVersion: 0 }, "reads document, reads all"],
  "unwatch-block": [{ blockId }, "reads document, reads all"],
  presence: [{ blockId, selection: null }, "reads document, reads all"],
  push: [{ requestId, blockId, update: "" }, ""],
};

const scope = { folderIds: [], rootIds: [], canvasIds: [] };
const tokens: Readonly<Record<string, Pick<Grant, "rights" | "scope">>> = {
  writes: { rights: ["write"], scope: null },
  "reads document": { rights: ["read"], scope: { ...scope, canvasIds: [blockId] } },
  "reads conversation": { rights: ["read"], scope: { ...scope, rootIds: [rootId] } },
  "reads all": { rights: ["read"], scope: null },
};

test.each(Object.entries(rows))(
  "a token may send %s where it may read what that is about, and pushes nothing",
  (type, [rest, may]) => {
    const message = { type, ...rest } as Message;
    const allowed = Object.entries(tokens).filter(([, token]) => {
      const grant: Grant = { id: "token_1", name: "T", ...token };
      return whyNotMessage(grant, message.type, accessOfMessage(message)) === null;
    });
    expect(allowed.map(([name]) => name).join(", ")).toBe(may);
  },
);
