import { unreachable } from "../../../core/base/assert.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import type { Message } from "./connection-state.ts";

/** Returns the access that a message needs; a command's exact access is known once it is parsed. */
export function accessOfMessage(message: Message): Access {
  switch (message.type) {
    case "watch-workspace":
    case "watch-list":
    case "unwatch-list":
    case "ping":
    case "call":
      return ["read", { type: "workspace" }];
    case "watch-conversation":
    case "unwatch-conversation":
      return ["read", { type: "conversation", id: message.rootId }];
    case "watch-block":
    case "unwatch-block":
    case "presence":
      return ["read", { type: "block", id: message.blockId }];
    case "push":
      return ["write", { type: "block", id: message.blockId }];
    default:
      return unreachable(message);
  }
}
