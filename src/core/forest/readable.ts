import { unreachable } from "../base/assert.ts";
import { costWords } from "../base/cost-words.ts";
import { counted } from "../base/counted.ts";
import { fenceFor } from "../message/fence.ts";
import { sourceLinks, withPlainSources } from "../message/citations.ts";
import { serverStepOf, stepWords } from "../message/server-step.ts";
import type { CanvasUpdate, ContentBlock, Instruction, MediaSource, Message } from "../message/types.ts";
import { branchByBranch } from "./node-order.ts";
import type { ForestExport, PortableNode, PortableSpent } from "./portable.ts";

/** What a readable export is made of. */
interface Readable {
  readonly root: Pick<ForestExport["root"], "title" | "systemPrompt">;
  readonly nodes: readonly PortableNode[];
  /** What the messages used and cost, with their sum; nothing is said of it without. */
  readonly spending?:
    | { readonly total: PortableSpent; readonly byNode: ReadonlyMap<string, PortableSpent> }
    | undefined;
}

/** The format of a readable export: Markdown keeps the markup of messages, plain text adds none. */
export type ReadableFormat = "markdown" | "text";

/**
 * Writes a conversation for people. Messages are numbered, each branch is written to its end before the next, and a
 * message that does not continue the one above it names its parent's number. Thinking and hidden messages are
 * omitted.
 */
export function readableExport(exported: ForestExport, format: ReadableFormat): string {
  const { root, nodes, spent: total } = exported;
  const byNode = new Map(nodes.flatMap(({ id, spent }) => (spent === undefined ? [] : [[id, spent] as const])));
  return [
    ...readablePieces({ root, nodes, ...(total === undefined ? {} : { spending: { total, byNode } }) }, format),
  ].join("");
}

/**
 * Yields the same text piece by piece, so that writing a long conversation does not block others; an empty piece is work
 * done before more text is ready.
 */
export function* readablePieces(
  { root, nodes: given, spending }: Readable,
  format: ReadableFormat,
): Generator<string, void, undefined> {
  const nodes = yield* branchByBranch(given);
  const writer = new ReadableWriter({ root, spending }, format);
  yield writer.top();
  for (let from = 0; from < nodes.length; from += nodesAtOnce) yield writer.part(nodes.slice(from, from + nodesAtOnce));
  yield writer.end();
}

/** Writes a conversation for people, given its messages in parts, branch by branch. */
export class ReadableWriter {
  readonly #readable: Omit<Readable, "nodes">;
  readonly #pen: Pen;
  readonly #numbersById = new Map<string, number>();
  #aboveId: string | null = null;
  #isFirst = true;

  constructor(readable: Omit<Readable, "nodes">, format: ReadableFormat) {
    this.#readable = readable;
    this.#pen = pens[format];
  }

  top(): string {
    const { title, systemPrompt } = this.#readable.root;
    return this.#joined([
      ...(title === "" ? [] : [this.#pen.title(title)]),
      ...(systemPrompt === "" ? [] : [this.#pen.heading("System prompt"), systemPrompt]),
    ]);
  }

  part(nodes: readonly PortableNode[]): string {
    return this.#joined(nodes.flatMap((node) => this.#paragraphsOf(node)));
  }

  end(): string {
    const total = this.#readable.spending?.total;
    if (total === undefined || total.requests === 0) return "\n";
    return `\n\n${this.#pen.heading("Usage")}\n\n${counted(total.requests, "answered request")}: ${spentWords(total)}\n`;
  }

  #joined(paragraphs: readonly string[]): string {
    if (paragraphs.length === 0) return "";
    const before = this.#isFirst ? "" : "\n\n";
    this.#isFirst = false;
    return before + paragraphs.join("\n\n");
  }

  #paragraphsOf(node: PortableNode): readonly string[] {
    const number = this.#numbersById.size + 1;
    const follows = node.parentId === this.#aboveId;
    this.#numbersById.set(node.id, number);
    this.#aboveId = node.id;
    return [
      this.#pen.heading(`${number}. ${speakerOf(node)}`),
      ...(follows ? [] : [this.#pen.remark(originOf(node, this.#numbersById))]),
      ...blocksOf(node.message, this.#pen),
      ...spentRemarks(this.#readable.spending?.byNode.get(node.id), this.#pen),
    ];
  }
}

function spentRemarks(spent: PortableSpent | undefined, pen: Pen): readonly string[] {
  return spent === undefined ? [] : [pen.remark(spentWords(spent))];
}

/** Says what was used and what it cost, where that is known. */
function spentWords({ usage, dollars, requests, unpriced }: PortableSpent): string {
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const cached = cachedInputTokens === 0 ? "" : ` (${counted(cachedInputTokens, "cached", "cached")})`;
  const tokens = `${counted(inputTokens, "token")} in${cached}, ${outputTokens.toLocaleString("en")} out`;
  const cost = unpriced < requests ? `, about ${costWords(dollars, "en-US")}` : "";
  const without = cost !== "" && unpriced > 0 ? `, without ${counted(unpriced, "request")} of no known price` : "";
  return `${tokens}${cost}${without}`;
}

/** Small enough that each piece is quick to make. */
const nodesAtOnce = 200;

function originOf({ parentId }: PortableNode, numbersById: ReadonlyMap<string, number>): string {
  const above = parentId === null ? undefined : numbersById.get(parentId);
  return above === undefined ? "new beginning" : `continues from ${above}`;
}

/** The markup of a format. Each method returns text without a line end. */
interface Pen {
  title(text: string): string;
  heading(text: string): string;
  remark(text: string): string;
  /** Exact text, such as arguments of a call. */
  verbatim(text: string, language: string): string;
}

const pens: Readonly<Record<ReadableFormat, Pen>> = {
  markdown: {
    title: (text) => `# ${oneLine(text)}`,
    heading: (text) => `## ${oneLine(text)}`,
    remark: (text) => `*${oneLine(text)}*`,
    verbatim: (text, language) => {
      const fence = fenceFor(text);
      return `${fence}${language}\n${text}\n${fence}`;
    },
  },
  text: {
    title: (text) => `${oneLine(text)}\n${"=".repeat(Math.min(oneLine(text).length, 60))}`,
    heading: (text) => `--- ${oneLine(text)} ---`,
    remark: (text) => `(${oneLine(text)})`,
    verbatim: (text) => text,
  },
};

function speakerOf({ actor, message }: PortableNode): string {
  switch (message.role) {
    case "user":
      return actor.name;
    case "assistant":
      return actor.type === "model" ? actor.name : `${message.origin?.model ?? "assistant"}, given by ${actor.name}`;
    case "tool":
      return `Result of ${message.tool_name}${message.outcome === "ok" ? "" : ` (${message.outcome})`}`;
    case "system":
      return "Instruction";
    default:
      return unreachable(message);
  }
}

function blocksOf(message: Message, pen: Pen): readonly string[] {
  if (message.role === "user" && message.update !== undefined) return [pen.remark(canvasRemark(message.update))];
  if (message.role === "user" && message.instruction !== undefined && message.instruction !== "continuation") {
    return [pen.remark(instructionRemarks[message.instruction])];
  }
  const blocks: readonly ContentBlock[] = message.content;
  const shown = blocks.flatMap((block) => shownBlock(block, message.role, pen));
  const cutOff = message.role === "assistant" && message.interrupted === true ? [pen.remark("cut off here")] : [];
  return [...shown, ...cutOff];
}

/** The remarks shown to people for Heddle's instructions; a continuation's summary is shown as it is. */
const instructionRemarks: Readonly<Record<Exclude<Instruction, "continuation">, string>> = {
  "last-words": "the tool calls of this turn were used up",
  submission: "asked for its result",
  summary: "asked for a summary",
  "go-on": "asked to go on",
  edit: "the model was told that its reply was edited",
  compaction: "the messages above were summed up for the model",
};

function canvasRemark({ from, to, changedBy }: CanvasUpdate): string {
  const by = changedBy.length === 0 ? "" : `, changed by ${changedBy.join(", ")}`;
  return `the canvas at revision ${to}${from === null || from === to ? "" : `, after ${from}`}${by}`;
}

function shownBlock(block: ContentBlock, role: Message["role"], pen: Pen): readonly string[] {
  switch (block.type) {
    case "text":
      if (block.text === "") return role === "tool" ? [pen.remark("empty")] : [];
      return [role === "tool" ? pen.verbatim(block.text, "") : withPlainSources(block)];
    case "tool-use":
      return [pen.remark(`calls ${block.name}`), pen.verbatim(JSON.stringify(block.parameters, null, 2), "json")];
    case "image":
      return [pen.remark(`image (${block.mediaType})${placeOf(block.source)}`)];
    case "file":
      return [pen.remark(`file ${block.name ?? ""} (${block.mediaType})${placeOf(block.source)}`)];
    case "refusal":
      return [pen.remark("refused"), block.text];
    case "notice":
      return [pen.remark(block.text)];
    case "opaque": {
      const step = serverStepOf(block);
      return step === null ? [] : [pen.remark(stepWords(step)), ...linesOf(sourceLinks(step.sources))];
    }
    case "thinking":
      return [];
    default:
      return unreachable(block);
  }
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : [text];
}

function placeOf(source: MediaSource): string {
  return source.type === "url" ? ` ${source.url}` : "";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
