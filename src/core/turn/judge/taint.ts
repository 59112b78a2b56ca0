import type { Taint } from "../../forest/types.ts";
import { sourcesOf } from "../../message/citations.ts";
import type { Message } from "../../message/types.ts";
import type { ToolReach } from "../../tool/base/reach.ts";

/** The taint of a context with only the person's words. */
export const noTaint: Taint = { holdsPrivate: false, holdsUntrusted: false };
/** Every taint: assumed when the content is unknown. */
export const wholeTaint: Taint = { holdsPrivate: true, holdsUntrusted: true };

/** Returns the taints of either context. */
export function joinTaints(a: Taint, b: Taint): Taint {
  return { holdsPrivate: a.holdsPrivate || b.holdsPrivate, holdsUntrusted: a.holdsUntrusted || b.holdsUntrusted };
}

/**
 * Returns what the messages of a branch brought into the context. Results of tools count by their tools' reach (an
 * unknown tool counts as both), attached files and texts of canvases as documents, results of a provider's own tools, and
 * words with sources, as untrusted. Heddle's answers in a tool's place bring nothing.
 */
export function taintOf(messages: readonly Message[], reachOf: (toolName: string) => ToolReach | null): Taint {
  return messages.map((message) => taintOfMessage(message, reachOf)).reduce(joinTaints, noTaint);
}

function taintOfMessage(message: Message, reachOf: (toolName: string) => ToolReach | null): Taint {
  switch (message.role) {
    case "system":
      return noTaint;
    case "user":
      return message.update !== undefined || message.content.some(({ type }) => type !== "text") ? wholeTaint : noTaint;
    case "assistant":
      return message.content.some((block) => block.type === "opaque" || sourcesOf(block).length > 0)
        ? { ...noTaint, holdsUntrusted: true }
        : noTaint;
    case "tool": {
      if (message.synthetic === true) return noTaint;
      const reach = reachOf(message.tool_name);
      return reach === null ? wholeTaint : { holdsPrivate: reach.readsPrivate, holdsUntrusted: reach.bringsUntrusted };
    }
  }
}
