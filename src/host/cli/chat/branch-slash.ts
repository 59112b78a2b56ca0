import { counted } from "../../../core/base/counted.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { BranchContext } from "../../../core/protocol/commands.ts";
import { safeLine } from "../base/safe-text.ts";
import type { SlashContext } from "./slash-context.ts";
import { drawTree, excerpt } from "./tree-lines.ts";

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

type FindNode = (id: ForestNode["id"]) => ForestNode | undefined;

/** The lines of a context view: a total, a line for each part, and what is left out. */
function contextLines(context: BranchContext, find: FindNode): readonly string[] {
  const { total, window, system, tools, messages, leftOut, canvases, compactAt } = context;
  const of = window === null ? "" : ` of ${window.toLocaleString("en")}`;
  const summed = compactAt === null ? "" : `, summed up at ${compactAt} %`;
  return [
    `  ${total.toLocaleString("en")} tokens${of} for ${safeLine(context.model)}${summed}`,
    partLine(system.tokens, "system prompt"),
    partLine(tools.tokens, counted(tools.list.length, "tool")),
    ...messages.map(({ nodeId, kind, tokens }) => {
      const node = nodeId === null ? undefined : find(nodeId);
      const named = kind === "message" ? "" : `${kind}: `;
      return partLine(
        tokens,
        node === undefined ? "canvas update before your next message" : `${named}${titleOf(node)}`,
      );
    }),
    ...(leftOut.length + canvases.length === 0 ? [] : ["  left out:"]),
    ...leftOut.map(({ nodeId, tokens, why }) => {
      const node = find(nodeId);
      return partLine(tokens, `${reasonWords[why.reason]}: ${node === undefined ? nodeId : titleOf(node)}`);
    }),
    ...canvases.map(({ title }) => partLine(0, `canvas ${safeLine(title)}, whose changes are not reported`)),
  ];
}

const reasonWords = {
  excluded: "by a person",
  "summed-up": "replaced by the summary",
  "unused-summary": "a summary not in use",
} as const;

function partLine(tokens: number, title: string): string {
  return `${tokens.toLocaleString("en").padStart(9)}  ${title}`;
}

function titleOf(node: ForestNode): string {
  return `${safeLine(node.message.role === "tool" ? node.message.tool_name : node.actor.name)}: ${excerpt(node).slice(0, 60)}`;
}
