import type { Message, ToolMessage } from "../../../core/message/types.ts";
import type { TurnEvent } from "../../../core/turn/event.ts";

/** From how much text on a tool's result gives way where a request is too long. UTF-16 units. */
const largeResultUnits = 50_000;

/** Whether a provider took nothing of a request because it was too long. */
export function wasTooLong(event: TurnEvent): boolean {
  return event.type === "response-failed" && event.failure.class === "context-length" && event.partial === null;
}

/** A path whose large results say only that they were; null where there are none. What is stored stays. */
export function withoutLargeResults(path: readonly Message[]): readonly Message[] | null {
  const shorter = path.map((message) => (message.role === "tool" ? shortened(message) : message));
  return shorter.every((message, at) => message === path[at]) ? null : shorter;
}

function shortened(message: ToolMessage): ToolMessage {
  const units = message.content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (units < largeResultUnits) return message;
  const text = `[This result of ${units} characters was left out, because the conversation had become too long. Call the tool again for the part that you need.]`;
  return { ...message, content: [{ type: "text", text }] };
}
