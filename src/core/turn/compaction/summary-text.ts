import { counted } from "../../base/counted.ts";
import { isJsonObject } from "../../base/json.ts";
import { isNonEmpty } from "../../base/non-empty.ts";
import type { ForestNode } from "../../forest/types.ts";
import { isWrittenByHeddle } from "../../message/canvas-update.ts";
import { textOf, toolUses } from "../../message/content.ts";
import { roughTokensOf } from "../../message/rough-message-tokens.ts";
import { roughTokens } from "../../message/rough-tokens.ts";
import { beginningInTokens, shortenedInMiddle } from "../../message/shortened-tokens.ts";
import type { ToolMessage, UserMessage } from "../../message/types.ts";
import type { Cut } from "./cut.ts";
import type { PartSizes } from "./limits.ts";

/** A document that the model of a branch has seen, as it is now. */
export interface SeenDocument {
  readonly id: string;
  readonly title: string;
  readonly revisionId: string;
  readonly lineCount: number;
  /** Its headings in order, each with its `#`s. */
  readonly headings: readonly string[];
}

/** What a compaction node is written from. */
export interface SummaryParts {
  /** What the model wrote. */
  readonly summary: string;
  readonly path: readonly ForestNode[];
  readonly cut: Cut;
  /** In the midst of a turn: its messages so far. */
  readonly turn: readonly ForestNode[];
  readonly documents: readonly SeenDocument[];
  readonly sizes: PartSizes;
}

/** The most paths of files in a compaction node. */
const filesMax = 50;

/**
 * Writes the message of a compaction node: the model's summary, then what Heddle knows exactly. Each part has its bound, so
 * that no node grows by the ones before it, whose text was input for the model and is not quoted again.
 */
export function compactionMessage(parts: SummaryParts): UserMessage {
  const { summary, cut, sizes, path } = parts;
  const replaced = path.slice(0, cut.at + 1).filter(({ excluded }) => excluded !== true);
  const kept = cut.midTurn || cut.at === path.length - 1 ? "" : " The messages after them follow word for word.";
  const text = [
    `${openingOf(null)} It replaces the first ${counted(cut.messages, "message")} of this conversation, which no longer had room.${kept}`,
    inTags("summary", beginningInTokens(summary.trim(), sizes.summary)),
    ...peopleSection(replaced, parts),
    ...documentSection(parts),
    ...fileSection(replaced),
    ...(cut.midTurn ? quotes(parts) : []),
  ].join("\n\n");
  return { role: "user", content: [{ type: "text", text }], instruction: "compaction" };
}

/** Returns the first sentence of a compaction node: who wrote it. */
function openingOf(editor: string | null): string {
  return editor === null ? "A model wrote this summary." : `A model wrote this summary, and ${editor} edited it.`;
}

/** Returns the text of a compaction node that a person edited, which names them. */
export function editedSummaryText(text: string, editor: string): string {
  const name = editor.replaceAll(/\s+/gu, " ").trim();
  const opening = /^A model wrote this summary(?:, and .* edited it)?\./u;
  return opening.test(text) ? text.replace(opening, () => openingOf(name)) : `${openingOf(name)}\n\n${text}`;
}

/** What the model is asked for; a part of the request alone, no message of the branch. */
export function compactionWishText(
  { focus, cut, inWords }: { readonly focus: string | undefined; readonly cut: Cut; readonly inWords: boolean },
  sizes: PartSizes,
): string {
  const words = Math.floor((sizes.summary * 0.7) / 10) * 10;
  return [
    cut.midTurn
      ? "Before you continue, sum up this conversation so far. Later requests hold your summary instead of it."
      : `Before this conversation continues, sum up its first ${counted(cut.messages, "message")}. Later requests hold your summary instead of them; the messages after them stay, so do not answer and do not repeat those.`,
    `Write at most ${words} words: the goal, what was decided and why, the current state with names, paths and ids, what is open, and the next step.`,
    ...(focus === undefined || focus.trim() === "" ? [] : [`Keep above all: ${focus.trim()}`]),
    inWords ? "Answer in words. No tools can be called now." : "Call no tools.",
  ].join(" ");
}

/** Returns the results at the end of a path that no model has read, shortened as in the node. */
export function shortenedUnread(path: readonly ForestNode[], sizes: PartSizes): ReadonlyMap<ForestNode, ToolMessage> {
  const unread = unreadResults(path);
  const each = Math.min(sizes.result, Math.floor(sizes.quotes / Math.max(1, unread.length)));
  return new Map(
    unread.map((node) => {
      const content = node.message.content.map((block) =>
        block.type === "text" ? { ...block, text: shortenedInMiddle(block.text, each) } : block,
      );
      return [node, { ...node.message, content: isNonEmpty(content) ? content : node.message.content }];
    }),
  );
}

type ResultNode = ForestNode & { readonly message: ToolMessage };

function unreadResults(path: readonly ForestNode[]): readonly ResultNode[] {
  const after = path.slice(path.findLastIndex(({ message }) => message.role === "assistant") + 1);
  return after.filter((node): node is ResultNode => node.message.role === "tool");
}

/** What people wrote in the replaced stretch, newest first, as far as it fits. The turn's own question is quoted below. */
function peopleSection(replaced: readonly ForestNode[], { sizes, turn, cut }: SummaryParts): readonly string[] {
  const quotedBelow = new Set(cut.midTurn ? turn : []);
  const said = replaced.filter(({ message }) => message.role === "user" && !isWrittenByHeddle(message)).toReversed();
  const lines: string[] = [];
  // Quotes must not take up what the summary of a short stretch saves.
  const replacedTokens = replaced.reduce((sum, { message }) => sum + roughTokensOf(message), 0);
  let left = Math.min(sizes.people, Math.floor(replacedTokens / 4));
  for (const node of said) {
    if (quotedBelow.has(node)) continue;
    const words = textOf(node.message).trim();
    if (words === "") continue;
    const quote = inTags("message", lines.length === 0 ? shortenedInMiddle(words, left) : words, node.actor.name);
    left -= roughTokens(quote);
    if (left < 0 && lines.length > 0) break;
    lines.push(quote);
  }
  return lines.length === 0 ? [] : [`What people wrote there, word for word, newest first:\n${lines.join("\n")}`];
}

function documentSection({ documents, sizes }: SummaryParts): readonly string[] {
  const lines: string[] = [];
  let left = sizes.documents;
  for (const { id, title, revisionId, lineCount, headings } of documents) {
    const outline = headings.length === 0 ? "" : ` Outline: ${beginningInTokens(headings.join("; "), sizes.outline)}`;
    const line = `- ${JSON.stringify(title)} (canvas_id ${id}): revision ${revisionId}, ${counted(lineCount, "line")}.${outline}`;
    left -= roughTokens(line);
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  return lines.length === 0
    ? []
    : [
        `Documents that you have seen, as they are now. Read the lines that you need before you edit:\n${lines.join("\n")}`,
      ];
}

function fileSection(replaced: readonly ForestNode[]): readonly string[] {
  const files = new Set<string>();
  for (const { message } of replaced.toReversed()) {
    if (message.role !== "assistant") continue;
    for (const { parameters } of toolUses(message)) for (const path of pathsIn(parameters)) files.add(path);
    if (files.size >= filesMax) break;
  }
  const listed = [...files].slice(0, filesMax);
  return listed.length === 0 ? [] : [`Files that were read or written, the latest first: ${listed.join(", ")}`];
}

function pathsIn(parameters: object): readonly string[] {
  const { path, files } = parameters as { readonly path?: unknown; readonly files?: unknown };
  const listed: readonly unknown[] = Array.isArray(files) ? files : [];
  return [path, ...listed.map((file) => (isJsonObject(file) ? file["path"] : file))].filter(
    (each): each is string => typeof each === "string" && each.length <= 300,
  );
}

/** The turn's question, and the last calls with the results that no model has read. */
function quotes({ path, turn, sizes }: SummaryParts): readonly string[] {
  const question = turn
    .filter(({ message }) => message.role === "user" && !isWrittenByHeddle(message))
    .map(({ message }) => textOf(message))
    .join("\n\n");
  const asked = question === "" ? "" : shortenedInMiddle(question, Math.min(sizes.question, sizes.quotes));
  const unread = unreadResults(path);
  const reply = path.findLast(({ message }) => message.role === "assistant")?.message;
  const uses = reply?.role === "assistant" ? toolUses(reply) : [];
  const left = Math.max(0, sizes.quotes - roughTokens(asked));
  const each = Math.min(sizes.result, Math.floor(left / Math.max(1, unread.length)));
  const results = unread.map(({ message }) => {
    const use = uses.find(({ id }) => id === message.tool_call_id);
    const call = shortenedInMiddle(JSON.stringify(use?.parameters ?? {}), Math.floor(each / 4));
    const text = shortenedInMiddle(textOf(message), Math.max(1, each - roughTokens(call) - 20));
    return `${message.tool_name} ${call} → ${message.outcome}\n${inTags("result", text)}`;
  });
  return [
    ...(asked === "" ? [] : [`The question that you are working on:\n${inTags("question", asked)}`]),
    ...(results.length === 0 ? [] : [`Your last calls, whose results you have not read yet:\n${results.join("\n")}`]),
  ];
}

/** Wraps a text so that it cannot pass for Heddle's words: it holds no tag of that name. */
function inTags(tag: string, text: string, by?: string): string {
  const quoted = text.replaceAll(new RegExp(`<(?=/?${tag}\\b)`, "gu"), "<\\");
  return `<${tag}${by === undefined ? "" : ` by=${JSON.stringify(by)}`}>\n${quoted}\n</${tag}>`;
}
