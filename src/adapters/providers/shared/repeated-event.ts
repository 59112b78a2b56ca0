import type { SseEvent } from "./sse.ts";

/**
 * What no two events of a stream share: random filling of four characters or more, a number or an id of the event, and
 * what a response of Gemini says once: why it ended, and how many tokens it has with this call.
 */
const marks = [
  /"obfuscation": ?"[^"]{4}/,
  /"sequence_number": ?[1-9]/,
  /"event_id": ?"[^"]/,
  /"finishReason": ?"/,
  /"functionCall"[^]*"candidatesTokenCount": ?[1-9]/,
];

/**
 * Whether an event is the one before it once more, as a proxy doubles one: equal to the letter, with a mark that is its own.
 * Equal events without such a mark may be two, because models repeat themselves. In JSON, every quote inside a text is
 * escaped, so that a model's text does not look like a mark.
 */
export function isRepeated(before: SseEvent | undefined, event: SseEvent): boolean {
  if (before === undefined || before.data !== event.data || before.event !== event.event) return false;
  return marks.some((mark) => mark.test(event.data));
}
