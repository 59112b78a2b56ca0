import { unreachable } from "../../../core/base/assert.ts";
import type { Access } from "../../../core/protocol/base/access.ts";
import type { Message } from "./connection-state.ts";

/** Returns the access that a message needs; a command's exact access is known once it is parsed. */
export function accessOfMessage(message: Message): Access {
  switch (message.type) {
    case "watch-workspace":
    case "watch-list":
    case "unwatch-list":
    case "look":
    case "ping":
    case "call":
      return ["workspace.see", { type: "workspace" }];
    case "watch-conversation":
    case "unwatch-conversation":
      return ["conversation.read", { type: "conversation", id: message.rootId }];
    case "watch-block":
    case "unwatch-block":
    case "presence":
      return ["document.read", { type: "block", id: message.blockId }];
    case "push":
      return ["document.edit", { type: "block", id: message.blockId }];
    default:
      return unreachable(message);
  }
}
