import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { NodeId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { UserMessage } from "../../../core/message/types.ts";
import { kindOf, locationsOf, resultContent, statusOf, textContent, titleOf } from "./call-shape.ts";

/** The tree of a conversation, as far as a path needs it. */
type Nodes = ReadonlyMap<NodeId, ForestNode>;

/** Returns the messages from the first to this one. */
export function pathTo(nodes: Nodes, tip: NodeId | null): readonly ForestNode[] {
  const path: ForestNode[] = [];
  for (let node = tip === null ? undefined : nodes.get(tip); node !== undefined;) {
    path.push(node);
    node = node.parentId === null ? undefined : nodes.get(node.parentId);
  }
  return path.toReversed();
}

/** The id of a call in its session: providers may use one id again in a later turn. */
export function callIdIn(turnId: string | null, callId: string): string {
  return `${turnId ?? "turn"}/${callId}`;
}

/** Returns the stored history of a path as the updates that made it. */
export function replayed(path: readonly ForestNode[], folder: string | null): SessionUpdate[] {
  return path.flatMap((node) => updatesOf(node, folder));
}

/** Returns a person's message as updates; none for what Heddle said in a person's role. */
export function userUpdates(message: UserMessage, messageId: string): SessionUpdate[] {
  if (message.update !== undefined || message.instruction !== undefined) return [];
  return message.content.map((block) => {
    const text = block.type === "text" ? block.text : `[${block.type} in Heddle]`;
    return { sessionUpdate: "user_message_chunk", messageId, content: { type: "text", text } };
  });
}

function updatesOf(node: ForestNode, folder: string | null): SessionUpdate[] {
  const { message, turnId, id: messageId } = node;
  switch (message.role) {
    case "user":
      return userUpdates(message, messageId);
    case "tool":
      return [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: callIdIn(turnId, message.tool_call_id),
          status: statusOf(message.outcome),
          content: resultContent(message),
        },
      ];
    case "system":
      return [];
    case "assistant":
      return message.content.flatMap((block): SessionUpdate[] => {
        switch (block.type) {
          case "thinking":
            return [{ sessionUpdate: "agent_thought_chunk", messageId, content: { type: "text", text: block.text } }];
          case "text":
          case "refusal":
          case "notice":
            return [{ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text: block.text } }];
          case "tool-use":
            return [
              {
                sessionUpdate: "tool_call",
                toolCallId: callIdIn(turnId, block.id),
                title: titleOf(block),
                kind: kindOf(block.name),
                status: "pending",
                rawInput: block.parameters,
                locations: locationsOf(block, folder),
                ...(block.argumentsError === undefined ? {} : { content: [textContent(block.argumentsError)] }),
              },
            ];
          case "opaque":
            return [];
        }
      });
  }
}
