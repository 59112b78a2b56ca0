import { counted } from "../../../core/base/counted.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { isTextBlock } from "../../../core/message/guards.ts";
import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import { unchangedWords } from "../../../core/base/unchanged-words.ts";
import type { TextReplica } from "../../../client/base/types.ts";
import { didYouMean } from "./ask-person.ts";
import { compact, exclude, showContext, switchSummary } from "./branch-slash.ts";
import type { Face } from "./face.ts";
import { offerCommands } from "./offers-slash.ts";
import { readList } from "./read-list.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { settingCommands } from "./settings-slash.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import { drawTree, isShown } from "./tree-lines.ts";
import { versionCommands } from "./versions-slash.ts";
import { joined } from "./words.ts";

type Spent = CommandAnswer<"conversation.usage">["total"];

/** How many lines of a canvas and of a tree are shown at once. */
const linesMax = 100;

const commands: Readonly<Record<string, SlashCommand>> = {
  help: { use: "/help", about: "list the commands", run: ({ face }) => help(face) },
  model: { use: "/model [NAME]", about: "list the models; or choose one for the next message", run: chooseModel },
  ...settingCommands,
  tree: { use: "/tree", about: "show the conversation with its branches", run: showTree },
  fork: {
    use: "/fork [N]",
    about: "write the last message differently; or continue from message N of the tree",
    run: goBack,
  },
  edit: {
    use: "/edit [N]",
    about: "change your last message, or your message N of the tree; the old version stays",
    run: goBack,
  },
  ...versionCommands,
  ...offerCommands,
  undo: { use: "/undo", about: "undo what the agent's last turn wrote in documents", run: undoTurn },
  canvas: {
    use: "/canvas [N | new TITLE]",
    about: "show the canvas of the conversation; choose or create one",
    run: canvas,
  },
  archive: { use: "/archive", about: "archive the conversation; again: take it out of the archive", run: archive },
  retry: { use: "/retry", about: "ask again after an error", run: retry },
  usage: { use: "/usage", about: "show tokens and money so far", run: usage },
  compact: {
    use: "/compact [WHAT MATTERS]",
    about: "sum earlier messages up for the model; they are kept",
    run: compact,
  },
  originals: {
    use: "/originals",
    about: "give the model the original messages instead of the summary",
    run: (context) => switchSummary(context, true),
  },
  summary: {
    use: "/summary",
    about: "give the model the summary again",
    run: (context) => switchSummary(context, false),
  },
  context: { use: "/context", about: "show what the model gets next, with tokens by part", run: showContext },
  exclude: {
    use: "/exclude N",
    about: "leave message N of the tree out of what the model gets",
    run: (context, words) => exclude(context, words, true),
  },
  include: {
    use: "/include N",
    about: "let the model get message N again",
    run: (context, words) => exclude(context, words, false),
  },
  summarize: { use: "/summarize", about: "sum this branch up now, to continue with /continue", run: summarize },
  continue: {
    use: "/continue",
    about: "go on from the last reply, or from a full branch with its summary",
    run: goOn,
  },
  quit: { use: "/quit", about: "leave; the conversation is kept", run: (context) => context.quit(0) },
};

/** The names of all commands, as a person types them. */
export const slashNames: readonly string[] = Object.keys(commands).map((each) => `/${each}`);

/** Runs `/name words`; refuses an unknown name with the one that was probably meant, and the list. */
export async function runSlash(context: SlashContext, name: string, words: string): Promise<void> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(context, words);
  // As in the app: /server:prompt.
  if (name.includes(":")) return offerCommands["prompt"]?.run(context, `${name} ${words}`.trim());
  const typed = `/${safeLine(name)}`;
  context.face.aside(
    `There is no ${typed}.${didYouMean(typed, slashNames)} Nothing was sent; // begins a message with /.`,
    "warning",
  );
  context.face.aside(`  The commands, described by /help: ${slashNames.join(" ")}`);
}

function help(face: Face): void {
  const width = Math.max(...Object.values(commands).map(({ use }) => use.length));
  const isNarrow = face.columns() < width + 50;
  for (const { use, about } of Object.values(commands)) {
    face.line(isNarrow ? `${use}: ${about}` : `  ${use.padEnd(width)}  ${about}`);
  }
  face.aside(
    "  Ctrl-C stops the agent; pressed again, it leaves. The agent reads a message sent while it works at its next step.",
  );
  face.aside("  Alt-Enter sends a message that waits until the agent has finished.");
  face.aside(
    "  When the agent is free, Alt-Enter starts another line in your message. // begins a message with a slash.",
  );
}

async function chooseModel(context: SlashContext, words: string): Promise<void> {
  const { client, face, model, rootId } = context;
  const models = client.workspace.get()?.models ?? [];
  if (words === "") {
    if (models.length === 0) face.aside("No models are available. Run heddle doctor to find out why.", "warning");
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
    if (!set.ok) return context.refused(set.error, "The model was not changed.");
  }
  context.setModel(wanted);
  face.aside(`✓ ${safeLine(wanted)} answers from the next message on.`, "good");
}

async function archive(context: SlashContext): Promise<void> {
  const { client, face, rootId, view } = context;
  if (rootId === null || view === null) return face.aside("There is no conversation yet.");
  const archived = !view.root.archived;
  const done = await client.call("conversation.archive", { rootId, archived });
  if (!done.ok) return context.refused(done.error, "The conversation was not changed.");
  face.aside(archived ? "✓ Archived. /archive takes it out again." : "✓ Out of the archive.", "good");
}

function onlyOne<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}

function showTree({ view, head, face }: SlashContext): void {
  const { lines } = view === null ? { lines: [] } : drawTree(view, head, face.columns());
  if (lines.length === 0) return face.aside("There are no messages yet.");
  if (lines.length > linesMax) face.aside(`… ${lines.length - linesMax} lines before`);
  for (const line of lines.slice(-linesMax)) face.line(line);
  face.aside("/fork N continues from message N.");
}

function goBack(context: SlashContext, words: string): void {
  const { view, head, face, run } = context;
  if (view === null) return face.aside("There are no messages yet.");
  if (run !== null && !isSettled(run.state))
    return face.aside("The agent is working. Stop it with Ctrl-C first.", "warning");
  const { nodes } = drawTree(view, head, face.columns());
  const number = words === "" ? null : Number(words);
  const node = number === null ? lastQuestion(context) : nodes[number - 1];
  if (node === undefined) {
    return face.aside(
      number === null
        ? "This branch has no message of yours."
        : `There is no message ${safeLine(words)}; /tree shows the numbers.`,
      "warning",
    );
  }
  if (node.message.role !== "user") {
    context.goTo(node.id);
    return face.aside("✓ Your next message follows that one, in a branch of its own.", "good");
  }
  const text = node.message.content.map((block) => (isTextBlock(block) ? block.text : "")).join("\n");
  context.goTo(beforeNode(context, node.parentId), text);
  face.aside("✓ Change your message: it starts a branch beside the old one, which stays.", "good");
}

/** Returns the last message of a person on the branch. */
function lastQuestion({ view, head }: SlashContext) {
  for (let id = head; id !== null;) {
    const node = view?.nodesById.get(id);
    if (node === undefined) return undefined;
    if (node.message.role === "user" && isShown(node)) return node;
    id = node.parentId;
  }
  return undefined;
}

/** A canvas update before a message belongs to that message. */
function beforeNode({ view }: SlashContext, parent: NodeId | null): NodeId | null {
  let at = parent;
  for (let node = at === null ? undefined : view?.nodesById.get(at); node?.message.role === "user";) {
    if (node.message.update === undefined) break;
    at = node.parentId;
    node = at === null ? undefined : view?.nodesById.get(at);
  }
  return at;
}

async function undoTurn(context: SlashContext): Promise<void> {
  const { run, client, face } = context;
  const turnId = run?.turnId ?? null;
  if (turnId === null) return face.aside("There is no turn to undo yet.");
  const undone = await client.call("turn.undo", { turnId });
  if (!undone.ok) return context.refused(undone.error, "The documents were not changed.");
  const { blocks, unchanged } = undone.value;
  if (blocks.length === 0) return face.aside("That turn wrote in no document.");
  const others = new Set(blocks.flatMap(({ changedByOthers }) => changedByOthers));
  const kept = others.size === 0 ? "" : `; later changes by ${[...others].map(safeLine).join(", ")} stay`;
  face.aside(`✓ Undone in ${counted(blocks.length, "document")}${kept}.${unchangedWords(unchanged)}`, "good");
}

/** How many canvases are listed, newest first. */
const canvasesShown = 50;

async function canvas(context: SlashContext, words: string): Promise<void> {
  const { client, face, rootId, view } = context;
  const listed = await readList(client, { of: "canvases", filter: "", count: canvasesShown });
  if (!listed.ok) return context.refused(listed.error, "Nothing was changed.");
  const { entries: canvases, total } = listed.value;
  if (words === "") {
    const own = view?.root.canvasId ?? null;
    if (own !== null) {
      const read = await readList(client, { of: "canvas", id: own });
      if (!read.ok) return context.refused(read.error, "Nothing was changed.");
      const [ownCanvas] = read.value.entries;
      if (ownCanvas === undefined) return face.aside("The canvas of this conversation is in the trash.", "warning");
      face.aside(`── ${safeLine(ownCanvas.title)}`, "bold");
      return showText(client.openText(own), face);
    }
    face.aside("This conversation has no canvas.");
    for (const [index, { title }] of canvases.entries()) face.line(`  ${index + 1} ${safeLine(title)}`);
    if (total > canvases.length) face.line(`  … and ${total - canvases.length} older ones`);
    return face.aside("/canvas N chooses one, /canvas new TITLE creates one.");
  }
  if (rootId === null) return face.aside("Send a message first: a canvas belongs to a conversation.");
  const title = /^new\s+(.+)$/su.exec(words)?.[1]?.trim();
  let canvasId = canvases[Number(words) - 1]?.id ?? null;
  if (title !== undefined) {
    const created = await client.call("canvas.create", { title });
    if (!created.ok) return context.refused(created.error, "No canvas was created.");
    canvasId = created.value.canvasId;
  }
  if (canvasId === null)
    return face.aside(`There is no canvas ${safeLine(words)}; /canvas new TITLE creates one.`, "warning");
  const set = await client.call("conversation.set-canvas", { rootId, canvasId });
  if (!set.ok) return context.refused(set.error, "The canvas was not changed.");
  face.aside("✓ The canvas belongs to this conversation now; the agent can read and write it.", "good");
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

async function retry(context: SlashContext): Promise<void> {
  const { run, client, face } = context;
  if (run === null) return face.aside("There are no messages yet.");
  const retried = await client.call("run.retry", { runId: run.runId });
  if (retried.ok) context.goAfter(run.runId, run.turnId);
  else context.refused(retried.error, "Nothing was changed.");
}

async function summarize(context: SlashContext): Promise<void> {
  const { run, client, face } = context;
  if (run === null) return face.aside("There are no messages yet.");
  const summed = await client.call("run.summarize", { runId: run.runId });
  if (summed.ok) context.goAfter(run.runId, run.turnId);
  else context.refused(summed.error, "Nothing was changed.");
}

async function goOn(context: SlashContext): Promise<void> {
  const { run, client, face } = context;
  if (run === null) return face.aside("There are no messages yet.");
  const head = context.head === null ? undefined : context.view?.nodesById.get(context.head);
  if (run.state.type !== "context-exhausted" && head?.message.role === "assistant") {
    const asked = await client.call("message.continue", { nodeId: head.id });
    if (asked.ok) context.goAfter(asked.value.runId, run.turnId);
    else context.refused(asked.error, "Nothing was changed.");
    return;
  }
  const continued = await client.call("run.continue", { runId: run.runId });
  if (!continued.ok) return context.refused(continued.error, "Nothing was changed.");
  context.goTo(continued.value.nodeId);
  face.aside("✓ You are in a new branch that begins with the summary.", "good");
}

async function usage(context: SlashContext): Promise<void> {
  const { rootId, client, face, run } = context;
  if (rootId === null) return face.aside("There are no messages yet.");
  const spent = await client.call("conversation.usage", { rootId });
  if (!spent.ok) return context.refused(spent.error, "Nothing was changed.");
  const { total, subAgents, turns, models, days, left, pricesOf } = spent.value;
  const last = turns.at(-1);
  face.line(`  all         ${spentWords(total)}`);
  if (last !== undefined) face.line(`  last turn   ${spentWords(last)}`);
  if (subAgents.requests > 0) face.line(`  sub-agents  ${spentWords(subAgents)}`);
  if (models.length > 1) for (const each of models) face.line(`  ${safeLine(each.model)}: ${spentWords(each)}`);
  if (days.length > 1) for (const each of days.slice(-shownDaysMax)) face.line(`  ${each.day}  ${spentWords(each)}`);
  const limits = joined(
    left.tokens === null ? "" : `${left.tokens.toLocaleString("en")} tokens`,
    left.dollars === null ? "" : `$${left.dollars.toFixed(2)}`,
  );
  if (limits !== "") face.line(`  left        ${limits}`);
  if (run?.contextUsed !== null && run?.contextUsed !== undefined) {
    const percent = Math.round(run.contextUsed * 100);
    face.line(`  window      ${percent === 0 ? "less than 1" : percent} % full`);
  }
  if (total.dollars > 0)
    face.aside(`Prices: models.json, the provider, models.dev.json, else Heddle's own table of ${pricesOf}.`);
}

/** The latest days that `/usage` lists. */
const shownDaysMax = 7;

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
    counted(requests, "answered request"),
    priced,
    unpriced > 0 && unpriced < requests ? `${unpriced} without a known price` : "",
  );
}
