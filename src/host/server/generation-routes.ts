import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { NodeId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { messageCommands } from "../../core/protocol/command/message.ts";
import type { Resource } from "../authorise.ts";
import type { AskedRuns } from "../conversation/types.ts";
import { httpOnce } from "./http-once.ts";
import { followGeneration } from "./follow-generation.ts";
import { nodeOf } from "./node-routes.ts";
import { readBody } from "./read-query.ts";
import type { BytesRoute, JsonRoute, Route, RouteCall } from "./route.ts";

const { n, model, maxTokens, temperature } = messageCommands["message.regenerate"].entries;
const wishBody = v.object({ n, model, maxTokens, temperature });

const generateRoute: JsonRoute = {
  method: "POST",
  path: "/api/nodes/:id/generate",
  access: (params) => ["write", nodeIn(params)],
  answer: generate,
};

const generationRoute: BytesRoute = {
  method: "GET",
  path: "/api/nodes/:id/generation",
  access: (params) => ["read", nodeIn(params)],
  async bytes(call) {
    const node = await nodeOf(call.workspace, call.params[0] ?? "");
    return node.ok ? followGeneration(node.value, call) : node.error;
  },
};

/** Asking a model at a message, and following what comes of it. */
export const generationRoutes: readonly Route[] = [generateRoute, generationRoute];

function nodeIn([id = ""]: readonly string[]): Resource {
  return { type: "node", id: id as NodeId };
}

async function generate(call: RouteCall): Promise<Result<unknown, Refusal>> {
  const { workspace, actor, params, body } = call;
  const [id = ""] = params;
  const wish = readBody(body, wishBody);
  if (!wish.ok) return wish;
  const node = await nodeOf(workspace, id);
  if (!node.ok) return node;
  if (node.value.message.role === "assistant") {
    return err(refusal("MESSAGE_INVALID", { node_id: id }, "There is no message for the model to answer."));
  }
  const asked = await httpOnce<AskedRuns>(call, (remember) =>
    workspace.conversations.regenerate(actor, { ...wish.value, nodeId: node.value.id }, remember),
  );
  return asked.ok ? ok({ success: true, runIds: asked.value.runIds }) : asked;
}
