import { counted } from "../../../core/base/counted.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId, RunId, TurnId } from "../../../core/base/ids.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import { isAtRest } from "../../../core/turn/precheck.ts";
import type { ConversationView, HeddleClient, RunView, TextReplica } from "../../../client/types.ts";
import { didYouMean } from "./ask-person.ts";
import type { Face } from "./face.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { drawTree, isShown } from "./tree-lines.ts";
import { joined } from "./words.ts";

/** What a command works with: the session as it stands, and what it may do to it. */
export interface Desk {
  readonly client: HeddleClient;
  readonly face: Face;
  readonly rootId: RootId | null;
  readonly view: ConversationView | null;
  readonly head: NodeId | null;
  readonly run: RunView | null;
  readonly model: string | null;
  setModel(model: string): void;
  /** The next message follows this one; null: it begins the conversation anew. `text` is put into the person's line. */
  goTo(head: NodeId | null, text?: string): void;
  /** Follows a run whose turn was just asked for. */
  goAfter(runId: RunId, turnBefore: TurnId | null): void;
  refused(refusal: Refusal, safe: string): void;
  quit(code: number): void;
}

interface SlashCommand {
  readonly use: string;
  readonly about: string;
  run(desk: Desk, words: string): void | Promise<void>;
}

type Spent = CommandAnswer<"conversation.usage">["total"];

/** How many lines of a canvas and of a tree are shown at once. */
const linesMax = 100;

const commands: Readonly<Record<string, SlashCommand>> = {
  help: { use: "/help", about: "what there is", run: ({ face }) => help(face) },
  model: { use: "/model [NAME]", about: "the models; or choose one for the next message", run: chooseModel },
  tree: { use: "/tree", about: "the conversation with its branches", run: showTree },
  fork: {
    use: "/fork [N]",
    about: "say the last message differently; or go on from message N of the tree",
    run: goBack,
  },
  undo: { use: "/undo", about: "take back what the agent's last turn wrote in documents", run: undoTurn },
  canvas: {
    use: "/canvas [N | new TITLE]",
    about: "the canvas beside the conversation; choose or make one",
    run: canvas,
  },
  retry: { use: "/retry", about: "ask again after an error", run: retry },
  usage: { use: "/usage", about: "tokens and money so far", run: usage },
  summarize: { use: "/summarize", about: "sum this branch up now, to go on with /continue", run: summarize },
  continue: { use: "/continue", about: "go on in a new branch that begins with the summary", run: goOn },
  quit: { use: "/quit", about: "leave; the conversation is kept", run: (desk) => desk.quit(0) },
};

/** Runs `/name words`; of an unknown one it says what was probably meant. */
export async function runSlash(desk: Desk, name: string, words: string): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(desk, words);
  const known = Object.keys(commands).map((each) => `/${each}`);
  const typed = `/${safeLine(name)}`;
  desk.face.aside(
    `There is no ${typed}.${didYouMean(typed, known)} /help lists what there is; // begins a message with /.`,
    "warning",
  );
}

function help(face: Face): void {
  const width = Math.max(...Object.values(commands).map(({ use }) => use.length));
  const isNarrow = face.columns() < width + 50;
  for (const { use, about } of Object.values(commands)) {
    face.line(isNarrow ? `${use}: ${about}` : `  ${use.padEnd(width)}  ${about}`);
  }
  face.aside("  Ctrl-C stops the agent, twice leaves. A message while the agent works waits until it is free.");
  face.aside("  Alt-Enter begins another line in your message. // begins a message with a slash.");
}

async function chooseModel(desk: Desk, words: string): Promise<void> {
  const { client, face, model, rootId } = desk;
  const models = client.workspace.get()?.models ?? [];
  if (words === "") {
    if (models.length === 0) face.aside("No models are known; heddle doctor looks into it.", "warning");
    for (const { id, name, tools } of models) {
      const mark = id === model ? "◂" : " ";
      face.line(
        `  ${mark} ${safeLine(id)}${name === id ? "" : `  ${safeLine(name)}`}${tools ? "" : "  (without tools)"}`,
      );
    }
    return;
  }
  const ids = models.map(({ id }) => id);
  const wanted = ids.find((id) => id === words) ?? onlyOne(ids.filter((id) => id.includes(words)));
  if (wanted === undefined) {
    return face.aside(`There is no model ${safeLine(words)}.${didYouMean(words, ids)} /model lists them.`, "warning");
  }
  if (rootId !== null) {
    const set = await client.call("conversation.set-model", { rootId, model: wanted });
    if (!set.ok) return desk.refused(set.error, "The model stays as it was.");
  }
  desk.setModel(wanted);
  face.aside(`✓ ${safeLine(wanted)} answers from the next message on.`, "good");
}

function onlyOne<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}

function showTree({ view, head, face }: Desk): void {
  const { lines } = view === null ? { lines: [] } : drawTree(view, head, face.columns());
  if (lines.length === 0) return face.aside("Nothing was said yet.");
  if (lines.length > linesMax) face.aside(`… ${lines.length - linesMax} lines before`);
  for (const line of lines.slice(-linesMax)) face.line(line);
  face.aside("/fork N goes on from message N.");
}

function goBack(desk: Desk, words: string): void {
  const { view, head, face, run } = desk;
  if (view === null) return face.aside("Nothing was said yet.");
  if (run !== null && !isAtRest(run.state))
    return face.aside("The agent is at work; Ctrl-C stops it first.", "warning");
  const { nodes } = drawTree(view, head, face.columns());
  const number = words === "" ? null : Number(words);
  const node = number === null ? lastQuestion(desk) : nodes[number - 1];
  if (node === undefined) {
    return face.aside(
      number === null
        ? "There is no message of yours on this branch."
        : `There is no message ${safeLine(words)}; /tree has their numbers.`,
      "warning",
    );
  }
  if (node.message.role !== "user") {
    desk.goTo(node.id);
    return face.aside("✓ Your next message follows that one, in a branch of its own.", "good");
  }
  const text = node.message.content.map((block) => (isTextBlock(block) ? block.text : "")).join("\n");
  desk.goTo(beforeNode(desk, node.parentId), text);
  face.aside("✓ Say it differently: your next message begins a branch beside that one, which stays.", "good");
}

/** The last message of a person's on the branch. */
function lastQuestion({ view, head }: Desk) {
  for (let id = head; id !== null;) {
    const node = view?.nodesById.get(id);
    if (node === undefined) return undefined;
    if (node.message.role === "user" && isShown(node)) return node;
    id = node.parentId;
  }
  return undefined;
}

/** What Heddle told the model before a message belongs to that message. */
function beforeNode({ view }: Desk, parent: NodeId | null): NodeId | null {
  let at = parent;
  for (let node = at === null ? undefined : view?.nodesById.get(at); node?.message.role === "user";) {
    if (node.message.update === undefined) break;
    at = node.parentId;
    node = at === null ? undefined : view?.nodesById.get(at);
  }
  return at;
}

async function undoTurn(desk: Desk): Promise<void> {
  const { run, client, face } = desk;
  const turnId = run?.turnId ?? null;
  if (turnId === null) return face.aside("There is no turn to take back yet.");
  const undone = await client.call("turn.undo", { turnId });
  if (!undone.ok) return desk.refused(undone.error, "The documents are as they were.");
  const { blocks } = undone.value;
  if (blocks.length === 0) return face.aside("That turn wrote in no document.");
  const others = new Set(blocks.flatMap(({ changedByOthers }) => changedByOthers));
  const kept = others.size === 0 ? "" : `; what ${[...others].map(safeLine).join(", ")} changed in it since stays`;
  face.aside(`✓ Taken back in ${counted(blocks.length, "document")}${kept}.`, "good");
}

async function canvas(desk: Desk, words: string): Promise<void> {
  const { client, face, rootId, view } = desk;
  const canvases = client.workspace.get()?.canvases ?? [];
  if (words === "") {
    const own = view?.root.canvasId ?? null;
    if (own !== null) {
      const title = canvases.find(({ id }) => id === own)?.title ?? "";
      face.aside(`── ${safeLine(title)}`, "bold");
      return showText(client.openText(own), face);
    }
    face.aside("No canvas stands beside this conversation.");
    for (const [index, { title }] of canvases.entries()) face.line(`  ${index + 1} ${safeLine(title)}`);
    return face.aside("/canvas N takes one, /canvas new TITLE makes one.");
  }
  if (rootId === null) return face.aside("Say something first: the canvas stands beside a conversation.");
  const title = /^new\s+(.+)$/su.exec(words)?.[1]?.trim();
  let canvasId = canvases[Number(words) - 1]?.id ?? null;
  if (title !== undefined) {
    const created = await client.call("canvas.create", { title });
    if (!created.ok) return desk.refused(created.error, "Nothing was made.");
    canvasId = created.value.canvasId;
  }
  if (canvasId === null)
    return face.aside(`There is no canvas ${safeLine(words)}; /canvas new TITLE makes one.`, "warning");
  const set = await client.call("conversation.set-canvas", { rootId, canvasId });
  if (!set.ok) return desk.refused(set.error, "The canvas stays as it was.");
  face.aside("✓ It stands beside this conversation now; the agent can read and write it.", "good");
}

async function showText(text: TextReplica, face: Face): Promise<void> {
  if (!text.ready) {
    await new Promise<void>((resolve) => {
      const stop = text.header.subscribe(() => {
        if (!text.ready) return;
        stop();
        resolve();
      });
    });
  }
  const lines = safeText(text.text()).split("\n");
  text.close();
  for (const line of lines.slice(0, linesMax)) face.line(line);
  if (lines.length > linesMax) face.aside(`… ${lines.length - linesMax} more lines`);
}

async function retry(desk: Desk): Promise<void> {
  const { run, client, face } = desk;
  if (run === null) return face.aside("Nothing was asked yet.");
  const retried = await client.call("run.retry", { runId: run.runId });
  if (retried.ok) desk.goAfter(run.runId, run.turnId);
  else desk.refused(retried.error, "Nothing was changed.");
}

async function summarize(desk: Desk): Promise<void> {
  const { run, client, face } = desk;
  if (run === null) return face.aside("Nothing was said yet.");
  const summed = await client.call("run.summarize", { runId: run.runId });
  if (summed.ok) desk.goAfter(run.runId, run.turnId);
  else desk.refused(summed.error, "Nothing was changed.");
}

async function goOn(desk: Desk): Promise<void> {
  const { run, client, face } = desk;
  if (run === null) return face.aside("Nothing was said yet.");
  const continued = await client.call("run.continue", { runId: run.runId });
  if (!continued.ok) return desk.refused(continued.error, "Nothing was changed.");
  desk.goTo(continued.value.nodeId);
  face.aside("✓ You are in a new branch that begins with the summary.", "good");
}

async function usage(desk: Desk): Promise<void> {
  const { rootId, client, face, run } = desk;
  if (rootId === null) return face.aside("Nothing was asked yet.");
  const spent = await client.call("conversation.usage", { rootId });
  if (!spent.ok) return desk.refused(spent.error, "Nothing was changed.");
  const { total, subAgents, turns, models, left } = spent.value;
  const last = turns.at(-1);
  face.line(`  all         ${spentWords(total)}`);
  if (last !== undefined) face.line(`  last turn   ${spentWords(last)}`);
  if (subAgents.requests > 0) face.line(`  sub-agents  ${spentWords(subAgents)}`);
  if (models.length > 1) for (const each of models) face.line(`  ${safeLine(each.model)}: ${spentWords(each)}`);
  const limits = joined(
    left.tokens === null ? "" : `${left.tokens.toLocaleString("en")} tokens`,
    left.dollars === null ? "" : `$${left.dollars.toFixed(2)}`,
  );
  if (limits !== "") face.line(`  left        ${limits}`);
  if (run?.contextUsed !== null && run?.contextUsed !== undefined) {
    const percent = Math.round(run.contextUsed * 100);
    face.line(`  window      ${percent === 0 ? "less than 1" : percent} % full`);
  }
}

function spentWords({
  usage: { inputTokens, outputTokens, cachedInputTokens },
  dollars,
  requests,
  unpriced,
}: Spent): string {
  const cached = cachedInputTokens === 0 ? "" : ` (${cachedInputTokens.toLocaleString("en")} cached)`;
  const priced = unpriced < requests ? `$${dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}` : "";
  return joined(
    `${inputTokens.toLocaleString("en")} tokens in${cached}`,
    `${outputTokens.toLocaleString("en")} out`,
    counted(requests, "request"),
    priced,
    unpriced > 0 && unpriced < requests ? `${unpriced} without a known price` : "",
  );
}
