import * as v from "valibot";
import { ok } from "../../../core/base/result.ts";
import { replyOptions } from "../../../core/protocol/command/message.ts";
import { described, nodeId } from "../../../core/protocol/base/parts.ts";
import { forestNode, madeRunId } from "../../../core/protocol/shape/forest.ts";
import type { RequestedRuns } from "../../conversation/base/types.ts";
import { followGeneration } from "./follow-generation.ts";
import { httpOnce } from "../http/http-once.ts";
import { nodeOf, readingNode } from "./node-routes.ts";
import { refusedBody } from "../http/refusal-answer.ts";
import { bytesRoute, jsonRoute, type Route } from "../http/route.ts";

const section = "Asking a model";
const params = { id: nodeId };

const generation = v.object({
  status: described(v.picklist(["pending", "idle", "error"]), "`pending` while a run works or waits for a person."),
  added: described(v.array(forestNode), "Messages added since the previous event, oldest first."),
  runs: v.array(v.object({ runId: madeRunId, state: v.pipe(v.string(), v.examples(["idle"])) })),
  error: v.exactOptional(v.object({ runId: madeRunId, detail: v.string(), message: v.string() })),
});

/** Asking a model for a reply, and following the result. */
export const generationRoutes: readonly Route[] = [
  jsonRoute({
    method: "POST",
    path: "/api/nodes/:id/generate",
    section,
    description: "Asks a model for replies to a message; at a model's own reply, to go on from it.",
    details: `Each of the \`n\` replies is a run of its own; equal replies are one message with variants. The active preset, then the
conversation, provide the settings left out. A reply is continued inside its last word where the provider accepts that; else the
model is told to go on. \`request.stop\` of a message is \`max-tokens\` when it was cut off at its token limit. Any model can be asked at any message. The answer does not wait for the runs;
\`GET /api/nodes/:id/generation\` follows them.`,
    params,
    body: v.object(replyOptions),
    answer: { type: "json", schema: v.object({ success: v.literal(true), runIds: v.array(madeRunId) }) },
    refusals: [
      "NODE_NOT_FOUND",
      "MODEL_NOT_FOUND",
      "MESSAGE_INVALID",
      "TOOL_RESULT_UNPAIRED",
      "BRANCH_BUSY",
      "CONVERSATION_ENDED",
    ],
    access: ({ id }) => ["conversation.send", { type: "node", id }],
    async perform(call) {
      const {
        workspace,
        actor,
        params: { id },
        body,
      } = call;
      const node = await nodeOf(workspace, id);
      if (!node.ok) return node;
      const { messages } = workspace.conversations;
      const wish = { ...body, nodeId: id };
      const asked = await httpOnce<RequestedRuns>(call, (remember) =>
        node.value.message.role === "assistant"
          ? messages.goOn(actor, wish, remember)
          : messages.regenerate(actor, wish, remember),
      );
      return asked.ok ? ok({ success: true, runIds: asked.value.runIds }) : asked;
    },
  }),
  bytesRoute({
    method: "GET",
    path: "/api/nodes/:id/generation",
    section,
    description: "Streams the state of all runs at and below a message until every run is idle.",
    details: `The first event is the current state, followed by one event for each change. The answer ends after the last change. A run
that waits for a person is pending, and its \`state\` says what it waits for. If the server stops before the end, the last event
is \`terminated\`: ask again after its next start, which resumes the runs.`,
    params,
    answer: {
      type: "events",
      description: "One event for each change.",
      events: { "": generation, terminated: refusedBody },
    },
    refusals: ["NODE_NOT_FOUND"],
    access: readingNode,
    async perform(call) {
      const node = await nodeOf(call.workspace, call.params.id);
      return node.ok ? followGeneration(node.value, call) : node.error;
    },
  }),
];
