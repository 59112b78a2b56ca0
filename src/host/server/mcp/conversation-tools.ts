import * as v from "valibot";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { NodeId, RootId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { conversationTitle } from "../../../core/forest/list.ts";
import { messageUnitsMax } from "../../../core/protocol/base/limits.ts";
import { described, nodeId, requestIdForm, rootId, textUpTo } from "../../../core/protocol/base/parts.ts";
import { replyOptions } from "../../../core/protocol/command/message.ts";
import { readToolInput } from "../../../core/tool/base/definitions.ts";
import { documentReach } from "../../../core/tool/base/reach.ts";
import type { ToolAnswer, ToolInput, ToolSpec } from "../../../core/tool/base/types.ts";
import { refusedAnswer, toolAnswer } from "../../tool/answer.ts";
import { askConversation } from "./ask-conversation.ts";
import { commandTool, runCommand } from "./command-tools.ts";
import type { DoorCall } from "./door-call.ts";
import { describedTool, type DoorTool } from "./door-tool.ts";
import { page, pageInput } from "./page.ts";
import { pathUnitsMax, shownNode } from "./shown-node.ts";

const parentId = v.pipe(
  v.string(),
  v.description("The message that it follows, or the conversation for its beginning."),
  v.examples(["node_01"]),
);
const content = described(v.pipe(textUpTo(messageUnitsMax), v.nonEmpty()), "The text of the message.");
const client_request_id = v.exactOptional(
  v.pipe(
    v.string(),
    v.regex(requestIdForm),
    v.description("An id of your own for this request: sent again with it, the request takes effect once."),
  ),
);

const reading = { access: "read", reach: documentReach, idempotent: true } as const;
const writing = { access: "write", reach: documentReach, idempotent: false } as const;

const listSpec = {
  ...reading,
  name: "conversation_list",
  description: "Lists the conversations of the workspace, newest first.",
  input: v.strictObject(pageInput),
} satisfies ToolSpec;

const readSpec = {
  ...reading,
  name: "conversation_read",
  description:
    "Reads a conversation: the messages of the path to a message, oldest first. Without node_id, the newest path. Where the answer has next, call again with it as cursor.",
  input: v.strictObject({
    conversation_id: v.exactOptional(rootId),
    node_id: v.exactOptional(described(nodeId, "The last message of the path.")),
    cursor: pageInput.cursor,
  }),
} satisfies ToolSpec;

const appendSpec = {
  ...writing,
  name: "conversation_append",
  description: "Adds a message at the end of a branch, in a person's role, marked as yours. No model is asked.",
  input: v.strictObject({ parent_id: parentId, content, client_request_id }),
} satisfies ToolSpec;

const branchSpec = {
  ...writing,
  name: "conversation_branch",
  description:
    "Adds a message below one that has others already: a new branch beside them. No model is asked, and the other branches stay.",
  input: v.strictObject({ parent_id: parentId, content, client_request_id }),
} satisfies ToolSpec;

const askSpec = {
  ...writing,
  name: "conversation_ask",
  description:
    "Sends a message to a conversation, whose model answers it with its own tools. Answers with run_id and state, and with the reply's text once the run is idle; call conversation_read later where it is not.",
  input: v.strictObject({
    parent_id: parentId,
    text: content,
    model: replyOptions.model,
    client_request_id,
    wait_ms: v.exactOptional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(50_000),
        v.description("How long to wait for the reply; default: 30,000."),
      ),
    ),
  }),
} satisfies ToolSpec;

/** The tools for conversations. */
export const conversationTools: readonly DoorTool[] = [
  tool(listSpec, listConversations),
  tool(readSpec, readConversation),
  commandTool("conversation_create", "conversation.create", [
    "toolSyntax",
    "thinking",
    "toolsOff",
    "fallbacks",
    "serverTools",
  ]),
  tool(appendSpec, (input, call) => add(input, call, "leaf")),
  tool(branchSpec, (input, call) => add(input, call, "beside")),
  { ...tool(askSpec, ask), right: "run" },
];

export function tool<Spec extends ToolSpec>(
  spec: Spec,
  run: (input: ToolInput<Spec>, call: DoorCall) => Promise<ToolAnswer>,
): DoorTool {
  return {
    ...describedTool(spec),
    run: async (parameters, call) => {
      const input = readToolInput(spec, parameters);
      return input.ok ? run(input.value, call) : refusedAnswer(input.error);
    },
  };
}

async function listConversations(input: ToolInput<typeof listSpec>, call: DoorCall): Promise<ToolAnswer> {
  const { workspace, reach } = call;
  const all = (await workspace.conversations.list()).toReversed();
  const roots = reach === null ? all : all.filter((root) => reach.conversation(root));
  return toolAnswer(
    page(
      roots,
      input,
      (root) => ({
        id: root.id,
        title: conversationTitle(root),
        model: root.model,
        canvas_id: root.canvasId,
        archived: root.archived,
        created_at: root.createdAt,
        updated_at: root.updatedAt,
      }),
      "conversations",
    ),
  );
}

async function readConversation(input: ToolInput<typeof readSpec>, call: DoorCall): Promise<ToolAnswer> {
  const { store } = call.workspace;
  const last = await lastNode(input, call);
  if (!last.ok) return refusedAnswer(last.error);
  const { rootId: id, node } = last.value;
  const path = node === null ? [] : await store.path(node);
  const from = input.cursor === undefined ? 0 : Number(input.cursor);
  const messages: JsonObject[] = [];
  let units = 0;
  let next: number | null = null;
  for (const [index, each] of path.entries()) {
    if (index < from) continue;
    const shown = shownNode(each);
    units += JSON.stringify(shown).length;
    if (units > pathUnitsMax && messages.length > 0) {
      next = index;
      break;
    }
    messages.push(shown);
  }
  const more = next === null ? {} : { next: String(next) };
  return toolAnswer(ok({ content: { conversation_id: id, messages, ...more } }));
}

async function lastNode(
  input: ToolInput<typeof readSpec>,
  call: DoorCall,
): Promise<Result<{ readonly rootId: RootId; readonly node: NodeId | null }, Refusal>> {
  const { store, conversations } = call.workspace;
  const { conversation_id: root, node_id: last } = input;
  if (last !== undefined) {
    const node = await store.node(last);
    const isMeant = node !== null && (root === undefined || node.rootId === root);
    const isThere = isMeant && (await mayKnow(node.rootId, call));
    return isThere ? ok({ rootId: node.rootId, node: last }) : err(refusal("NODE_NOT_FOUND", { node_id: last }));
  }
  if (root === undefined) {
    const message = "conversation_read was not run. Give conversation_id or node_id.";
    return err(refusal("INVALID_PARAMS", { expected: "conversation_id or node_id" }, message));
  }
  if (!(await mayKnow(root, call))) return err(refusal("ROOT_NOT_FOUND", { root_id: root }));
  const view = await conversations.view(root);
  return view.ok ? ok({ rootId: root, node: view.value.nodes.at(-1)?.id ?? null }) : view;
}

/** A place in a conversation where a message is added. */
interface Place {
  readonly rootId: RootId;
  readonly parentNodeId: NodeId | null;
}

async function mayKnow(id: RootId, { workspace, reach }: DoorCall): Promise<boolean> {
  const root = reach === null ? null : await workspace.store.root(id);
  return reach === null || (root !== null && reach.conversation(root));
}

async function placeOf(parent: string, call: DoorCall): Promise<Result<Place, Refusal>> {
  const { store } = call.workspace;
  const root = await store.root(parent as RootId);
  if (root !== null && (await mayKnow(root.id, call))) return ok({ rootId: root.id, parentNodeId: null });
  const node = await store.node(parent as NodeId);
  if (node === null || !(await mayKnow(node.rootId, call)))
    return err(refusal("NODE_NOT_FOUND", { parent_id: parent }));
  return ok({ rootId: node.rootId, parentNodeId: node.id });
}

async function add(input: ToolInput<typeof appendSpec>, call: DoorCall, where: "leaf" | "beside"): Promise<ToolAnswer> {
  const place = await placeOf(input.parent_id, call);
  if (!place.ok) return refusedAnswer(place.error);
  const { rootId: id, parentNodeId } = place.value;
  const children = await call.workspace.store.children(id, parentNodeId);
  const requested = input.client_request_id;
  // A repeated request finds its own message here.
  if (where === "leaf" && requested === undefined && children.length > 0) {
    const message =
      "This message has others below it, so nothing was added. Give the last message of a branch as parent_id, or call conversation_branch to begin another branch here.";
    return refusedAnswer(
      refusal("CONFLICT", { parent_id: input.parent_id, children: children.map((c) => c.id) }, message),
    );
  }
  return runCommand("message.add", { rootId: id, parentNodeId, text: input.content, ...ofRequest(requested) }, call);
}

async function ask(input: ToolInput<typeof askSpec>, call: DoorCall): Promise<ToolAnswer> {
  const place = await placeOf(input.parent_id, call);
  if (!place.ok) return refusedAnswer(place.error);
  const model = input.model === undefined ? {} : { model: input.model };
  const params = { ...place.value, text: input.text, ...model, ...ofRequest(input.client_request_id) };
  const sent = await runCommand("message.send", params, call);
  return sent.ok ? askConversation(place.value.rootId, { sent, waitMs: input.wait_ms ?? 30_000 }, call) : sent;
}

function ofRequest(id: string | undefined): JsonObject {
  return id === undefined ? {} : { clientRequestId: id };
}
