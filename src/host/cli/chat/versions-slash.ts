import { basename, resolve } from "node:path";
import { homedir } from "node:os";
import type { NodeId } from "../../../core/base/ids.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import { clipped } from "./cell-width.ts";
import { safeLine } from "../base/safe-text.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import { drawTree, excerpt, isShown } from "./tree-lines.ts";

/** Commands for other versions of what was said, and for what goes with a message. */
export const versionCommands: Readonly<Record<string, SlashCommand>> = {
  regenerate: {
    use: "/regenerate [MODEL]",
    about: "ask for another reply beside the last one, from this model or another",
    run: regenerate,
  },
  branch: { use: "/branch [N]", about: "list the branches; or continue at the end of branch N", run: branch },
  image: { use: "/image FILE", about: "send an image or a PDF with the next message", run: attach },
};

async function regenerate(context: SlashContext, words: string): Promise<void> {
  const { client, face, head, run } = context;
  if (run !== null && !isSettled(run.state))
    return face.aside("The agent is working. Stop it with Ctrl-C first.", "warning");
  if (head === null) return face.aside("There are no messages yet.");
  const model = words === "" ? {} : { model: words };
  const asked = await client.call("message.regenerate", { nodeId: head, ...model });
  if (!asked.ok) return context.refused(asked.error, "Nothing was changed.");
  const { runId } = asked.value;
  context.goAfter(runId, runId === run?.runId ? run.turnId : null);
}

function branch(context: SlashContext, words: string): void {
  const { view, head, face } = context;
  const ends = view === null ? [] : endsOf(context);
  if (view === null || ends.length === 0) return face.aside("There are no messages yet.");
  if (words === "") {
    for (const [index, id] of ends.entries()) {
      const node = view.nodesById.get(id);
      const mark = id === head ? "◂" : " ";
      face.line(clipped(`  ${mark} ${index + 1} ${node === undefined ? "" : excerpt(node)}`, face.columns() - 1));
    }
    return face.aside("/branch N continues at the end of branch N.");
  }
  const id = ends[Number(words) - 1];
  if (id === undefined) {
    return face.aside(`There is no branch ${safeLine(words)}; /branch lists them.`, "warning");
  }
  context.goTo(id);
  face.aside("✓ You are in that branch; your next message follows its last one.", "good");
}

/** Returns the last shown message of each branch, in the order of the tree. */
function endsOf({ view, head, face }: SlashContext): readonly NodeId[] {
  if (view === null) return [];
  const { nodes } = drawTree(view, head, face.columns());
  return nodes.filter((node) => !hasShownBelow(view, node.id)).map(({ id }) => id);
}

type View = NonNullable<SlashContext["view"]>;

function hasShownBelow({ childrenByParent, nodesById }: View, id: NodeId): boolean {
  const open = [...(childrenByParent.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = nodesById.get(next);
    if (node !== undefined && isShown(node)) return true;
    open.push(...(childrenByParent.get(next) ?? []));
  }
  return false;
}

async function attach(context: SlashContext, words: string): Promise<void> {
  const { face } = context;
  if (words === "") return face.aside("Name a file: /image sketch.png");
  // As a terminal pastes a dropped file: quoted, or with escaped blanks.
  const path = words
    .replace(/^(["'])(.*)\1$/u, "$2")
    .replaceAll(/\\(.)/gu, "$1")
    .replace(/^~(?=\/)/u, homedir());
  const attached = await context.attach(resolve(path));
  if (!attached.ok) return context.refused(attached.error, "Nothing was attached.");
  face.aside(`✓ ${safeLine(basename(path))} goes with your next message.`, "good");
}
