import type { Message, ToolMessage } from "../../../core/message/types.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { EndedReply } from "./reply-stream.ts";

/** Size at which a tool's result is left out of a request that was too long. UTF-16 units. */
const largeResultUnits = 50_000;

/** Returns whether a provider refused a whole request because it was too long. */
export function wasTooLong(event: EndedReply["event"] | TurnEvent): boolean {
  return event.type === "response-failed" && event.failure.class === "context-length" && event.partial === null;
}

/** Returns whether a request was too long for its model, whether it was sent or not. */
export function isTooLong(event: TurnEvent): boolean {
  return wasTooLong(event) || (event.type === "response-failed" && event.failure.class === "context-full");
}

/** Replaces the large results of a path by a placeholder; null if there are none. The stored results are unchanged. */
export function withoutLargeResults(path: readonly Message[]): readonly Message[] | null {
  const shorter = path.map((message) => (message.role === "tool" ? shortened(message) : message));
  return shorter.every((message, at) => message === path[at]) ? null : shorter;
}

function shortened(message: ToolMessage): ToolMessage {
  const units = message.content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (units < largeResultUnits) return message;
  const text = `[This result of ${units} characters was left out because the conversation had become too long. Call the tool again for the part you need.]`;
  return { ...message, content: [{ type: "text", text }] };
}
