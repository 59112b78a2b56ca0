import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { BlockId, FolderId, LeaseId, ThreadId, RootId, RunId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { documentFeatures, toolSpecs } from "../../../core/tool/registry.ts";
import type { ToolAnswer, ToolSpec } from "../../../core/tool/base/types.ts";
import { lacksRole } from "../../access/why-not-allowed.ts";
import { isRunOfToken } from "../../lease/outside-runs.ts";
import { refusedAnswer } from "../../tool/answer.ts";
import { agentActor, rootOfToken, runOf, tokenIdOf, type DoorCall } from "./door-call.ts";
import { describedTool, type DoorTool } from "./door-tool.ts";

const conversationId = {
  type: "string",
  description: "Instead of canvas_id: a conversation, whose canvas is taken.",
} as const;

/** The tools for canvases and blocks: those that the models of Heddle's own runs have. */
export const agentTools: readonly DoorTool[] = toolSpecs(documentFeatures).map((spec) => ({
  ...describedTool(spec, spec.name === "canvas_check_out" ? { properties: { conversation_id: conversationId } } : {}),
  run: (parameters, call, name) => runAgentTool(spec, { parameters, name }, call),
}));

async function runAgentTool(
  spec: ToolSpec,
  { parameters, name }: { readonly parameters: JsonObject; readonly name: string },
  call: DoorCall,
): Promise<ToolAnswer> {
  const { workspace, caller, callId, turnId, signal } = call;
  const { conversation_id: conversation, ...rest } = parameters;
  const isCheckOut = spec.name === "canvas_check_out";
  const canvas = isCheckOut && conversation !== undefined ? await canvasOf(conversation, call) : ok(null);
  if (!canvas.ok) return refusedAnswer(canvas.error);
  const outOfReach = (await whyOutOfReach(parameters, call)) ?? (await whyNotDelete(spec, parameters, call));
  if (outOfReach !== null) return refusedAnswer(outOfReach);
  // Blocks of its own are stored in the workspace too.
  if (spec.name === "block_create" && call.reach?.agent?.mayCreate === false) return refusedAnswer(lacksRole());
  const runId = holderOf(parameters, call);
  const answer = await workspace.outsideTools.run(
    { id: callId, name, parameters: isCheckOut ? rest : parameters },
    {
      rootId: rootOfToken(caller),
      runId,
      turnId,
      kind: "conversation",
      actor: agentActor(call, runId),
      canvasId: canvas.value,
      folderId: folderOf(call),
      reach: call.reach,
      progress: (text) => call.progress(text),
    },
    signal,
  );
  return answer.ok ? { ...answer, content: await withDoorFacts(spec, answer.content, call) } : answer;
}

/** A lease id acts for the agent that took it, in every program that has the same token. */
function holderOf({ lease_id: leaseId }: JsonObject, call: DoorCall): RunId {
  const grant = typeof leaseId === "string" ? call.workspace.leases.grant(leaseId as LeaseId) : undefined;
  return grant !== undefined && isRunOfToken(grant.runId, tokenIdOf(call.caller)) ? grant.runId : runOf(call);
}

/** Returns why a token does not reach the document that the parameters name for comments; null if it does. */
async function whyOutOfReach(
  { canvas_id: canvasId, comment_id: threadId }: JsonObject,
  { reach, workspace: { store } }: DoorCall,
): Promise<Refusal | null> {
  if (reach === null) return null;
  const thread = typeof threadId === "string" ? await store.thread(threadId as ThreadId) : null;
  const id = thread?.blockId ?? (typeof canvasId === "string" ? (canvasId as BlockId) : null);
  const header = id === null ? null : await store.block(id);
  const isOut = (id !== null && header === null) || (header !== null && !reach.document(header));
  if (isOut && threadId !== undefined) return refusal("COMMENT_NOT_FOUND", { comment_id: threadId });
  return isOut ? refusal("BLOCK_NOT_FOUND", { block_id: canvasId ?? null }) : null;
}

/** Returns why a program may not delete a canvas: under review it may propose that. */
async function whyNotDelete(
  { name }: ToolSpec,
  { block_id: id }: JsonObject,
  { reach, workspace: { store } }: DoorCall,
): Promise<Refusal | null> {
  if (name !== "block_delete" || typeof id !== "string" || reach?.agent === undefined) return null;
  const header = await store.block(id as BlockId);
  const isCanvas = header !== null && header.policy !== undefined && header.policy !== "suggest";
  return isCanvas && reach.document(header) && !reach.agent.toDelete.document(header) ? lacksRole() : null;
}

/** Returns the folder whose files can be reached: the default one, or that of a token for a folder. */
function folderOf({ caller: { token }, workspace }: DoorCall): FolderId | null {
  const scope = token?.scope ?? null;
  return scope === null ? workspace.folders.defaultId : (scope.folderIds[0] ?? null);
}

async function canvasOf(conversation: unknown, { workspace, reach }: DoorCall) {
  const root = typeof conversation === "string" ? await workspace.store.root(conversation as RootId) : null;
  const found = root !== null && (reach === null || reach.conversation(root)) ? root : null;
  const missing: Result<never, Refusal> = err(refusal("ROOT_NOT_FOUND", { conversation_id: String(conversation) }));
  return found === null ? missing : ok(found.canvasId);
}

/** Adds what a program on another machine cannot know: how long a lease lives by our clock, and the unit of the edit. */
async function withDoorFacts(spec: ToolSpec, content: JsonObject, call: DoorCall): Promise<JsonObject> {
  const { workspace, turnId, callId } = call;
  const { expires_at: expiresAt, canvas_id: canvasId } = content;
  const isWritten = "new_revision_id" in content || "version" in content;
  const header = spec.name === "canvas_check_out" ? await workspace.store.block(canvasId as never) : null;
  return {
    ...content,
    ...(typeof expiresAt === "number"
      ? { expires_in_ms: Math.max(0, expiresAt - workspace.platform.clock.now()) }
      : {}),
    ...(header?.policy === undefined ? {} : { policy: header.policy }),
    ...(spec.access === "write" && isWritten ? { unit_id: `${turnId}/${callId}` } : {}),
  };
}
