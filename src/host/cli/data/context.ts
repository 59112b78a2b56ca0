import type { ConversationView, HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { BranchContext } from "../../../core/protocol/commands.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { exactJson } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { contextLines } from "../chat/context-lines.ts";
import { whereLeft } from "../chat/where-left.ts";
import { atServer } from "../start/at-server.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { viewOf } from "../start/conversation-view.ts";
import { serverValues, startingPlace } from "../start/reach-server.ts";

export const contextForm: CommandForm = {
  name: "context",
  values: ["conversation", "node", "model", ...serverValues],
  switches: ["json"],
  argument: "conversation",
};

export const contextHelp = `heddle context: show what the next request of a conversation holds

Examples
  heddle context weather-1a2b                   where the conversation was left
  heddle context weather-1a2b --node node_01h…  of the branch that ends there
  heddle context weather-1a2b --model openai/gpt-4o
  heddle context weather-1a2b --json | jq .total

A line for each part, with its estimated tokens: the system prompt, the tools, the messages in the order in which they are
sent, and what is left out and why. Nothing is sent.

Flags
  --conversation ID  its id or its slug, or without the flag
  --node ID          the last message of a branch
  --model ID         provider/model: as another model would get it
  --json             the whole context, texts included
  --url URL, --token T, --data DIR, --store URL, --models FILE, --workspace DIR, --context-window N, --when-full WHAT: as for
  "heddle chat"`;

/** Shows what the next request of a branch holds. */
export async function contextCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  if (line.values["conversation"] === undefined) {
    const message = 'Which conversation? Give its id or its slug; "heddle export" lists them.';
    return printRefusal(terminal, refusal("INVALID_PARAMS", {}, message));
  }
  return atServer(line, terminal, async ({ client }) => {
    const place = await startingPlace(line, { client });
    const shown = place.ok ? await contextOf(client, place.value, line) : place;
    if (!shown.ok) return shown;
    const { context, view } = shown.value;
    if (line.switches.has("json")) terminal.print(exactJson(context));
    else for (const each of contextLines(context, (id) => view.nodesById.get(id))) terminal.print(each);
    return ok(undefined);
  });
}

async function contextOf(
  client: HeddleClient,
  rootId: RootId | null,
  { values }: CommandLine,
): Promise<Result<{ readonly context: BranchContext; readonly view: ConversationView }, Refusal>> {
  if (rootId === null) return err(refusal("ROOT_NOT_FOUND"));
  const { node, model } = values;
  const view = await viewOf(client, rootId);
  if (view === null) return err(refusal("ROOT_NOT_FOUND", { root_id: rootId }));
  const nodeId = node === undefined ? whereLeft(view).head : (node as NodeId);
  const context = await client.call("branch.context", { rootId, nodeId, ...(model === undefined ? {} : { model }) });
  return context.ok ? ok({ context: context.value, view }) : context;
}
