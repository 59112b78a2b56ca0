import type { StreamPart } from "../../core/model/stream-part.ts";
import type { Fault } from "./faults.ts";

/** Applies a fault to the content of a reply, before it is encoded in any wire format. */
export async function* faultyParts(
  parts: AsyncIterable<StreamPart>,
  fault: Fault | null,
): AsyncGenerator<StreamPart, void, undefined> {
  let firstId: string | undefined;
  let grown = false;
  for await (const part of parts) {
    if (fault?.type === "empty-content" && "index" in part) continue;
    if (fault?.type === "broken-arguments" && part.type === "tool-call-end") {
      yield { type: "tool-call-delta", index: part.index, text: '{"and": ' };
    }
    if (fault?.type === "same-ids" && part.type === "tool-call-start") {
      firstId ??= part.id;
      yield { ...part, id: firstId };
      continue;
    }
    if (fault?.type === "big-delta" && part.type === "text-delta" && !grown) {
      grown = true;
      yield { ...part, text: "x".repeat(fault.characters) };
      continue;
    }
    yield fault?.type === "empty-content" && part.type === "finished" ? { ...part, reason: "end-turn" } : part;
  }
}
