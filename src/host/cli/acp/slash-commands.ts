import type { AvailableCommand } from "@agentclientprotocol/sdk/unstable";
import type { NamedPrompt } from "../../../core/turn/state/named-prompt.ts";
import { unchangedWords } from "../../../core/base/unchanged-words.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { requestError } from "./acp-refusal.ts";
import type { EditorSession } from "./editor-session.ts";
import { pathTo } from "./replay.ts";
import { conversationView } from "./editor-session.ts";

const own: readonly AvailableCommand[] = [
  { name: "compact", description: "Sum up earlier messages for later requests", input: { hint: "what to keep" } },
  { name: "undo", description: "Undo what the last turn changed in documents" },
  { name: "redo", description: "Redo the turn that was undone" },
];

/** Returns the commands of a session: Heddle's own, and one for each prompt of the library. */
export async function availableCommands(client: HeddleClient): Promise<AvailableCommand[]> {
  const prompts = await libraryOf(client);
  const named = [...prompts.keys()].map((name) => ({
    name,
    description: `Use the prompt "${name}" of the library in this conversation`,
    input: { hint: "and a message" },
  }));
  return [...own, ...named];
}

/** What is left of a message after its command: words to send, or null for nothing. */
export type AfterSlash = { readonly type: "done" } | { readonly type: "send"; readonly text: string };

/** Carries out a message that is a command of this session; null where it is none. */
export async function runSlash(client: HeddleClient, session: EditorSession, text: string): Promise<AfterSlash | null> {
  const [, name = "", rest = ""] = /^\/([\w.-]+)(?:\s+([\s\S]*))?$/u.exec(text.trim()) ?? [];
  switch (name) {
    case "":
      return null;
    case "compact":
      return compact(client, session, rest.trim());
    case "undo":
      return revert(client, session, "turn.undo");
    case "redo":
      return revert(client, session, "turn.redo");
    default: {
      const prompt = (await libraryOf(client)).get(name);
      if (prompt === undefined) return null;
      const set = await client.call("conversation.settings", {
        rootId: session.place.rootId,
        systemPrompt: prompt.text,
      });
      if (!set.ok) throw requestError(set.error);
      if (rest.trim() !== "") return { type: "send", text: rest };
      await session.say(`The prompt "${prompt.name}" is used from the next message on.`);
      return { type: "done" };
    }
  }
}

async function compact(client: HeddleClient, session: EditorSession, focus: string): Promise<AfterSlash> {
  const { tip } = session;
  const asked =
    tip === null ? null : await client.call("branch.compact", { nodeId: tip, ...(focus === "" ? {} : { focus }) });
  if (asked === null) await session.say("There is nothing to sum up yet.");
  else if (asked.ok) await session.say("Earlier messages are summed up for later requests; they are kept.");
  else await session.say(asked.error.message);
  return { type: "done" };
}

async function revert(
  client: HeddleClient,
  session: EditorSession,
  command: "turn.undo" | "turn.redo",
): Promise<AfterSlash> {
  const { nodesById } = await conversationView(client, session.place.rootId);
  const turnId = pathTo(nodesById, session.tip).findLast((node) => node.turnId !== null)?.turnId ?? null;
  const done = turnId === null ? null : await client.call(command, { turnId });
  const verb = command === "turn.undo" ? "undone" : "redone";
  if (done === null) await session.say(`Nothing can be ${verb}: no turn has changed anything.`);
  else if (done.ok)
    await session.say(
      `What the last turn changed is ${verb}, in ${done.value.blocks.length} documents.${unchangedWords(done.value.unchanged)}`,
    );
  else await session.say(done.error.message);
  return { type: "done" };
}

/** Returns the library's prompts by the names of their commands; Heddle's own commands come first. */
async function libraryOf(client: HeddleClient): Promise<ReadonlyMap<string, NamedPrompt>> {
  const listed = await client.call("prompt.list", {});
  const byName = new Map<string, NamedPrompt>();
  for (const prompt of listed.ok ? listed.value.prompts : []) {
    const name = prompt.name.toLowerCase().replaceAll(/[^\w.-]+/gu, "-");
    if (name !== "" && !byName.has(name) && !own.some((each) => each.name === name)) byName.set(name, prompt);
  }
  return byName;
}
