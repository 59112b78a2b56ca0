import { safeLine } from "../base/safe-text.ts";
import type { SlashContext } from "./slash-context.ts";
import { contextLines } from "./context-lines.ts";
import { drawTree } from "./tree-lines.ts";

/** Sums earlier messages up; `words` say what matters. */
export async function compact(context: SlashContext, words: string): Promise<void> {
  const { head, client, face, run } = context;
  if (head === null) return face.aside("There are no messages yet.");
  const asked = await client.call("branch.compact", { nodeId: head, ...(words === "" ? {} : { focus: words }) });
  if (!asked.ok) return context.refused(asked.error, "Nothing was changed.");
  if (asked.value.waits) return face.aside("Earlier messages are summed up before the next request.");
  context.goAfter(asked.value.runId, run?.turnId ?? null);
}

/** Switches the summary of the branch off (`originals`) or on again. */
export async function switchSummary(context: SlashContext, off: boolean): Promise<void> {
  const { head, client, face } = context;
  if (head === null) return face.aside("There are no messages yet.");
  const switched = await client.call(off ? "branch.originals" : "branch.summary", { nodeId: head });
  if (!switched.ok) return context.refused(switched.error, "Nothing was changed.");
  face.aside(off ? "✓ The model gets the original messages again." : "✓ The model gets the summary again.", "good");
}

/** Leaves message N of the tree out of what the model sees, or includes it again. */
export async function exclude(context: SlashContext, words: string, excluded: boolean): Promise<void> {
  const { view, head, client, face } = context;
  if (view === null) return face.aside("There are no messages yet.");
  if (words === "") {
    const name = excluded ? "/exclude" : "/include";
    return face.aside(`Which message? Write ${name} N; /tree shows the numbers.`, "warning");
  }
  const node = drawTree(view, head, face.columns()).nodes[Number(words) - 1];
  if (node === undefined) {
    return face.aside(`There is no message ${safeLine(words)}; /tree shows the numbers.`, "warning");
  }
  const done = await client.call("message.exclude", { nodeId: node.id, excluded });
  if (!done.ok) return context.refused(done.error, "Nothing was changed.");
  face.aside(
    excluded ? "✓ The model does not get this message any more." : "✓ The model gets this message again.",
    "good",
  );
}

/** Shows what the next request holds, with tokens by part, and what is left out and why. */
export async function showContext(context: SlashContext): Promise<void> {
  const { rootId, head, client, face, view } = context;
  if (rootId === null) return face.aside("There are no messages yet.");
  const shown = await client.call("branch.context", { rootId, nodeId: head });
  if (!shown.ok) return context.refused(shown.error, "Nothing was changed.");
  for (const line of contextLines(shown.value, (id) => view?.nodesById.get(id))) face.line(line);
}
