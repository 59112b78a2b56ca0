import type { BlockId, ToolCallId } from "../../../core/base/ids.ts";
import type { ApprovalTier, Budget } from "../../../core/forest/run-rules.ts";
import type { ForestRoot, ModelRequestFacts } from "../../../core/forest/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { RunRecord, Store } from "../../../core/port/store.ts";
import type { TokenEstimator } from "../../../core/port/token-estimator.ts";
import type { TurnEvent } from "../../../core/turn/event.ts";
import type { BlobKeeper } from "../../blobs/blob-keeper.ts";
import type { CanvasNews } from "../../canvas/canvas-news.ts";
import type { Activity } from "./activities.ts";
import type { ActingTurn } from "./actors.ts";
import type { Machine } from "./decide.ts";
import type { RunLeases } from "../../lease/types.ts";
import type { LiveBlocks, SubAgents, ToolSource } from "./ports.ts";
import type { ToolCallSettings } from "./tool-syntax.ts";

/** What runs go by in conversations that say nothing else. */
export interface RunRules {
  readonly approvals?: ApprovalTier;
  readonly budget?: Budget;
}

/** What conversations work with. */
export interface ConversationPorts {
  readonly store: Store;
  readonly models: ModelCatalogue;
  readonly tools: ToolSource;
  readonly leases: RunLeases;
  readonly blocks: LiveBlocks;
  readonly platform: Platform;
  /** What their models are told of canvases. */
  readonly canvases: CanvasNews;
  /** Images and files that messages name. */
  readonly blobs: BlobKeeper;
  readonly tokens: TokenEstimator;
  /** How much models think that can. */
  readonly thinking: ModelRequest["thinking"];
  /** How models call tools for which nothing else was said; by default each in its own way. */
  readonly toolCalls?: ToolCallSettings;
  readonly rules?: RunRules;
  /** The turn machine; `transition` unless a test looks at what is decided. */
  readonly machine?: Machine;
  /** Agents that runs set to work; without it none is. */
  readonly subAgents?: SubAgents;
}

/** How what was set in motion reports back to the conversation's queue. */
export interface Reports {
  /**
   * The activity's outcome, and how the model was asked where it is a reply; dropped when the activity is not the run's
   * own any more.
   */
  readonly event: (activity: Activity, event: TurnEvent, request?: ModelRequestFacts) => void;
  /** A live block that shows the activity's progress: of a reply (null), or of a call. */
  readonly block: (activity: Activity, id: BlockId, callId: ToolCallId | null) => void;
  /** Writes the intent row of an effect; false when the disk refuses now. */
  readonly intent: (effectId: string) => Promise<boolean>;
  /** Does something in the conversation's queue, if the activity is still the run's own by then. */
  readonly again: (activity: Activity, job: () => Promise<void>) => void;
}

/** The run, its conversation and its turn when an effect is performed. */
export interface EffectContext {
  readonly run: RunRecord;
  readonly root: ForestRoot;
  readonly turn: ActingTurn;
}

/** How long to wait before something is tried again that the disk refused. Milliseconds. */
export const storeRetryMs = 1_000;
