import { setImmediate } from "node:timers/promises";
import type { ForestNode } from "../../../core/forest/types.ts";
import { spawnDescription } from "../../../core/tool/agent/spawn-sub-agents.ts";
import { familiesInSteps, familiesOnPath } from "../../../core/tool/families-in-use.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";
import type { TurnKind } from "../../../core/tool/base/types.ts";
import { isToolOff } from "../../../core/tool/tools-off.ts";
import type { Asking } from "../../../core/turn/state/state.ts";
import { notByEveryone } from "../../access/why-not-allowed.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { contextOf } from "../base/run-context.ts";
import { toolCallingOf, type ToolCalling } from "../base/tool-syntax.ts";
import { reachOfTurn } from "../base/turn-reach.ts";
import { beforeTurn } from "./before-turn.ts";
import { modelCanvas } from "./model-canvas.ts";
import { fittingTools } from "./fitting-tools.ts";
import { steeringPrompt } from "./speakers.ts";
import { submitTool, turnTools } from "./turn-tools.ts";

/** What every request of a turn holds besides the path. */
export interface RequestFrame {
  readonly model: LanguageModel;
  readonly calling: ToolCalling;
  readonly tools: readonly SyntaxTool[];
  readonly system: string;
  readonly thinking: ModelRequest["thinking"];
}

/** What the frame is for. */
interface FrameWish {
  readonly asking: Asking;
  readonly signal: AbortSignal;
  /** The branch, whose messages decide which families of tools are offered. */
  readonly path: readonly ForestNode[];
  /** Whether the turn that would send it has not begun: its tools are those of now. */
  readonly isPreview?: boolean;
}

type FramePorts = Pick<
  ConversationPorts,
  "models" | "modelFor" | "rights" | "budgets" | "tools" | "canvases" | "toolCalls" | "thinking"
>;

/** Returns the frame of a turn's requests; refuses when its model or its way of calling tools is not available. */
export async function requestFrame(
  ports: FramePorts,
  context: EffectContext,
  { asking, path, signal, isPreview = false }: FrameWish,
): Promise<Result<RequestFrame, Refusal>> {
  const { models, tools, canvases, toolCalls = {} } = ports;
  const { run, root, turn } = context;
  const asks = run.settings ?? {};
  const payer = ports.rights?.payerOf(asks) ?? null;
  // A turn from before there was a team was judged then, and its request is only repeated.
  const isUnpaid = payer === null && !isPreview && ports.rights?.isKnown(asks) === true;
  const unpaid = isUnpaid ? ((await ports.budgets?.whyNot(null)) ?? null) : null;
  if (unpaid !== null) return err(unpaid);
  const own = payer === null ? undefined : ports.modelFor?.(payer, turn.model);
  const model = own ?? models.find(turn.model);
  if (model === undefined) {
    const message = `The model ${turn.model} is not available here. Choose another model.`;
    return err(refusal("MODEL_NOT_FOUND", { model: turn.model }, message));
  }
  const notAllowed = model.api === outsideApi ? await whyNoProgram(ports, context) : null;
  if (notAllowed !== null) return err(notAllowed);
  const calling = toolCallingOf(root, model, toolCalls);
  if (!calling.ok) return calling;
  const { kind } = contextOf(run);
  const { id: rootId, canvasId, folderId = null } = root;
  const asked = isPreview ? {} : { turnId: turn.turnId };
  const reach = await reachOfTurn(ports, context, !isPreview);
  await tools.ready?.(signal, { rootId, canvasId, folderId, kind, reach, ...asked });
  const before = beforeTurn(path, turn.turnId);
  for (const _step of familiesInSteps(before)) await setImmediate();
  const inUse = familiesOnPath(before);
  const offered = offeredTools(ports, context, { asking, inUse, isPreview });
  // A model that cannot call tools is not told how to.
  const calls = model.info.tools || calling.value.syntax.tier !== "native";
  const explained =
    calls && offered.length > 0
      ? explanation(tools.prompt?.({ canvasId, folderId, kind, inUse, off: root.replies?.toolsOff ?? [] }), kind)
      : "";
  const notes = tools.notes?.({ rootId, ...asked }) ?? "";
  const told = {
    system: canvases.system(root.systemPrompt, modelCanvas(root)),
    explained: [explained, notes].filter((part) => part !== "").join("\n\n"),
    tools: offered,
  };
  // A sub-agent can end only through a tool.
  const fitting = kind === "conversation" ? fittingTools(told, model.info.contextTokensMax) : told;
  const system = [fitting.system, fitting.explained].filter((part) => part !== "").join("\n\n");
  const thinking = root.replies?.thinking ?? (model.info.thinking ? ports.thinking : "off");
  return ok({ model, calling: calling.value, tools: fitting.tools, system, thinking });
}

/** The format of agents of other programs: they run on the machine by themselves, beside the sandbox of commands. */
const outsideApi = "acp";

/** Returns why a turn may not be an agent's of another program: it could do there what its asker may not by a command. */
async function whyNoProgram(ports: FramePorts, context: EffectContext): Promise<Refusal | null> {
  const reach = await reachOfTurn(ports, context);
  return reach?.agent.mayRunCommands === false ? notByEveryone("use an agent of another program") : null;
}

/**
 * Returns the tools described to the model. They are the same where it may call none, so that the request keeps the prefix
 * of the request before it.
 */
function offeredTools(
  { tools }: Pick<FramePorts, "tools">,
  { run, root, turn }: EffectContext,
  {
    asking,
    inUse,
    isPreview = false,
  }: Pick<FrameWish, "asking" | "isPreview"> & {
    readonly inUse: ReturnType<typeof familiesOnPath>;
  },
): readonly SyntaxTool[] {
  if (asking === "submission") return [submitTool.definition];
  const { kind } = contextOf(run);
  const { id: rootId, canvasId, folderId = null } = root;
  const offered = tools.definitions({
    rootId,
    canvasId,
    folderId,
    kind,
    inUse,
    off: root.replies?.toolsOff ?? [],
    ...(isPreview ? {} : { turnId: turn.turnId }),
  });
  // A model without tools can ask people in plain text; a sub-agent ends through a tool.
  if (offered.length === 0 && kind === "conversation") return [];
  const helpers = tools.definitions({ rootId, canvasId: null, folderId, kind: "sub-agent" }).map(({ name }) => name);
  const own = turnTools(kind).filter(({ asks }) => asks !== "agents" || helpers.length > 0);
  const all = [
    ...offered,
    ...own.map(({ asks, definition }) =>
      asks === "agents" ? { ...definition, description: spawnDescription(helpers) } : definition,
    ),
  ];
  const { toolsOff = [] } = root.replies ?? {};
  // A sub-agent can end only through a tool.
  return all.filter(({ name }) => name === submitTool.spec.name || !isToolOff(name, toolsOff));
}

/** Returns what the system prompt says about tools. */
function explanation(prompt: string | undefined, kind: TurnKind): string {
  const parts = [prompt ?? "", kind === "conversation" ? steeringPrompt : ""];
  return parts.filter((part) => part !== "").join("\n\n");
}
