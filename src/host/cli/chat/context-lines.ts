import { counted } from "../../../core/base/counted.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { BranchContext } from "../../../core/protocol/commands.ts";
import { safeLine } from "../base/safe-text.ts";
import { excerpt } from "./tree-lines.ts";

type FindNode = (id: ForestNode["id"]) => ForestNode | undefined;

/** Returns the lines of a context view: a total, a line for each part, and what is left out. */
export function contextLines(context: BranchContext, find: FindNode): readonly string[] {
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
