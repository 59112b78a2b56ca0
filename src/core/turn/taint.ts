import type { Taint } from "../forest/types.ts";
import type { Message } from "../message/types.ts";
import type { ToolReach } from "../tool/reach.ts";

/** Only what the person said. */
export const noTaint: Taint = { holdsPrivate: false, holdsUntrusted: false };
/** Whatever there is: what is counted where nobody can know. */
export const wholeTaint: Taint = { holdsPrivate: true, holdsUntrusted: true };

/** What two contexts in one bring along. */
export function joinTaints(a: Taint, b: Taint): Taint {
  return { holdsPrivate: a.holdsPrivate || b.holdsPrivate, holdsUntrusted: a.holdsUntrusted || b.holdsUntrusted };
}

/**
 * What the messages of a branch have brought in. Results of tools count as their tools' reach says (of a tool that nobody
 * knows any more, both), attached files and texts of canvases as documents, what a provider's own tools found as
 * untrusted. What Heddle answered in a tool's place brings nothing.
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
      return message.content.some(({ type }) => type === "opaque") ? { ...noTaint, holdsUntrusted: true } : noTaint;
    case "tool": {
      if (message.synthetic === true) return noTaint;
      const reach = reachOf(message.tool_name);
      return reach === null ? wholeTaint : { holdsPrivate: reach.readsPrivate, holdsUntrusted: reach.bringsUntrusted };
    }
  }
}
