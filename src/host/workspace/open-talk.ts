import { allFeatures } from "../../core/tool/registry.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";
import type { AccessTokens } from "../access/access-tokens.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import type { TeamBudgets } from "../access/team-budgets.ts";
import type { TurnRights } from "../access/turn-rights.ts";
import { openConversations } from "../conversation/open-conversations.ts";
import type { ConversationPorts } from "../conversation/base/conversation-ports.ts";
import type { Conversations } from "../conversation/base/types.ts";
import { createTokenEstimator } from "../../adapters/tokens/token-estimator.ts";
import { defaultModelOf } from "../models/default-model.ts";
import type { PersonKeys } from "../models/person-keys.ts";
import type { TokenCalibrations } from "../models/token-calibrations.ts";
import type { Folders } from "../files/folder-types.ts";
import { createInstructionTools } from "../instructions/instruction-tools.ts";
import { settleFolder } from "../files/settle-folder.ts";
import type { AgentsWorkspace } from "../outside-agents/attached-agents.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { createBranchDrafts } from "../canvas/branch-drafts.ts";
import { createCanvasContext, noCanvasContext, canvasContextForPeople } from "../canvas/canvas-context.ts";
import { createLiveBlocks } from "./live-blocks.ts";
import { systemPrompt, systemPromptWithoutCanvas } from "../canvas/system-prompt.ts";
import { createWebTools } from "../web/web-tools.ts";
import { createHeddleTools } from "../tool/heddle-tools.ts";
import type { ToolPorts } from "../tool/runnable.ts";
import { createServerTools } from "../tool/server-tools.ts";
import { ToolRegistry } from "../tool/tool-registry.ts";
import type { WorkspaceOptions } from "./workspace-options.ts";

export interface TalkPorts {
  readonly ports: ToolPorts;
  readonly folders: Folders;
  readonly blobs: BlobKeeper;
  readonly calibrations: TokenCalibrations;
  readonly tokens: AccessTokens;
  readonly rights: TurnRights;
  readonly team: RightsKeeper | null;
  readonly budgets: TeamBudgets | null;
  readonly personKeys: PersonKeys | null;
  /** When conversations are opened, and interrupted runs go on; null: at once. */
  readonly pauses: Pick<ConversationPorts, "opensAfter" | "restartsAfter"> | null;
}

/** Opens the conversations, with the tools that their agents have. */
export function openTalk(
  options: WorkspaceOptions,
  { ports, folders, blobs, calibrations, tokens, rights, team, budgets, personKeys, pauses }: TalkPorts,
): Promise<Conversations> {
  const { store, catalogue, platform, features = allFeatures, gitOnly = false } = options;
  const { hub, leases, replicas } = ports;
  const canvases = createCanvasContext({ reader: hub.reader, drafts: hub.suggestions, leases, store, platform });
  const tools = new ToolRegistry([
    ...(options.outsideAgents === undefined ? [] : [options.outsideAgents.tools]),
    createHeddleTools(ports, { features, gitOnly }),
    createInstructionTools({ folders, skills: options.skills ?? null, store }),
    ...(options.web === undefined ? [] : [createWebTools(options.web)]),
    ...(options.mcp === undefined ? [] : [createServerTools(options.mcp)]),
  ]);
  const talk = Promise.withResolvers<Conversations>();
  options.outsideAgents?.attach({ ...ports, folders, blobs, tokens, rights, ...followed(talk.promise) });
  const opening = openConversations(
    {
      store,
      models: catalogue,
      tools,
      leases,
      blocks: createLiveBlocks({ hub, replicas, logger: platform.logger }),
      platform,
      canvases: gitOnly ? noCanvasContext : features.canvas ? canvases : canvasContextForPeople(canvases),
      ...(gitOnly ? {} : { drafts: createBranchDrafts(store, hub.suggestions) }),
      blobs,
      folders,
      tokens: createTokenEstimator({ known: calibrations.known, onLearned: calibrations.learned }),
      thinking: options.thinking ?? "medium",
      rights,
      ...(team === null ? {} : { isAudited: true }),
      ...(budgets === null ? {} : { budgets }),
      ...(personKeys === null ? {} : { modelFor: (payer, model) => personKeys.modelFor(payer, model) }),
      ...(options.toolCalls === undefined ? {} : { toolCalls: options.toolCalls }),
      ...(options.meters === undefined ? {} : { meters: options.meters }),
      ...(options.rules === undefined ? {} : { rules: options.rules }),
      ...(options.whenFull === undefined ? {} : { whenFull: options.whenFull }),
      ...(options.tellsEdits === undefined ? {} : { tellsEdits: options.tellsEdits }),
      ...pauses,
    },
    {
      systemPrompt: features.canvas && !gitOnly ? systemPrompt : systemPromptWithoutCanvas,
      get model() {
        return defaultModelOf(options);
      },
      cwd: options.cwd,
      folder: settleFolder(folders, ports.hub.reader),
    },
  );
  opening.then(talk.resolve, () => undefined);
  return opening;
}

/** What agents of other programs learn of conversations: whether their turn goes on. */
function followed(talk: Promise<Conversations>): Pick<AgentsWorkspace, "watch" | "isUnderWay" | "wantedReplies"> {
  return {
    watch: async (rootId, look) => {
      const conversations = await talk;
      const watcher = { snapshot: look, deliver: look, terminated: look };
      const watching = await conversations.watch(rootId, Number.MAX_SAFE_INTEGER, watcher);
      return watching.ok ? watching.value : () => undefined;
    },
    isUnderWay: async (rootId, runId, turnId) => {
      const runs = await (await talk).runStatuses(rootId);
      if (!runs.ok) return false;
      return runs.value.some((run) => run.runId === runId && run.turnId === turnId && !isSettled(run.state));
    },
    wantedReplies: async (rootId, nodeId) => {
      const runs = await (await talk).runStatuses(rootId);
      return runs.ok ? runs.value.filter((run) => run.headNodeId === nodeId && !isSettled(run.state)).length : 0;
    },
  };
}
