import type { BlockId, PersonId, ToolCallId } from "../../../core/base/ids.ts";
import type { ApprovalTier, Budget, CompactionSettings } from "../../../core/forest/run-rules.ts";
import type { ForestRoot, ModelRequestFacts } from "../../../core/forest/types.ts";
import type { ModelRequest } from "../../../core/model/request.ts";
import type { LanguageModel, ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Meters } from "../../../core/port/meters.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { RunRecord, Store, StoreWrite } from "../../../core/port/store.ts";
import type { TokenEstimator } from "../../../core/port/token-estimator.ts";
import type { TurnEvent } from "../../../core/turn/event/event.ts";
import type { TeamBudgets } from "../../access/team-budgets.ts";
import type { TurnRights } from "../../access/turn-rights.ts";
import type { BlobKeeper } from "../../blobs/blob-keeper.ts";
import type { BranchDrafts } from "../../canvas/branch-drafts.ts";
import type { CanvasContext } from "../../canvas/canvas-context.ts";
import type { FileTree } from "../../../core/port/file-tree.ts";
import type { Activity } from "./activities.ts";
import type { ActingTurn } from "./actors.ts";
import type { Machine } from "./decide.ts";
import type { RunLeases } from "../../lease/types.ts";
import type { LiveBlocks, SubAgents, ToolSource } from "./ports.ts";
import type { ReplyRecord } from "./reply-record.ts";
import type { WhenFull } from "../../../core/model/when-full.ts";
import type { ToolCallSettings } from "./tool-syntax.ts";

/** The rules for runs in conversations that set none. */
export interface RunRules {
  readonly approvals?: ApprovalTier;
  readonly budget?: Budget;
  readonly compaction?: CompactionSettings;
}

/** What conversations depend on. */
export interface ConversationPorts {
  readonly store: Store;
  readonly models: ModelCatalogue;
  /** Returns a model with the key that a person has for its provider; absent or undefined: they use the workspace's. */
  readonly modelFor?: (payer: PersonId, model: string) => LanguageModel | undefined;
  readonly tools: ToolSource;
  readonly leases: RunLeases;
  readonly blocks: LiveBlocks;
  readonly platform: Platform;
  /** Counts what runs do; nothing is counted by default. */
  readonly meters?: Meters;
  /** Builds the canvas updates that models receive. */
  readonly canvases: CanvasContext;
  /** Moves the drafts of branches; without it there are none. */
  readonly drafts?: BranchDrafts;
  /** Stores the images and files that messages name. */
  readonly blobs: BlobKeeper;
  readonly tokens: TokenEstimator;
  /** For whom turns work, and what they may do; absent: everything, for nobody. */
  readonly rights?: Pick<TurnRights, "askersOf" | "askersOfRun" | "isKnown" | "payerOf" | "reach" | "hasEnded">;
  /** Whether the audit log of a team has the commands that agents run. */
  readonly isAudited?: boolean;
  /** What people of a team may spend; without it nobody has a budget of their own. */
  readonly budgets?: Pick<TeamBudgets, "whyNot" | "charge">;
  /** Says which files the folders' own git runs; without it there are no folders. */
  readonly folders?: Pick<FileTree, "isRunByGit">;
  /** How much a model that can think does think. */
  readonly thinking: ModelRequest["thinking"];
  /** How models call tools when the conversation and the catalogue do not say; by default each in its own way. */
  readonly toolCalls?: ToolCallSettings;
  readonly rules?: RunRules;
  /** Whether models are informed that people changed their replies; true by default. */
  readonly tellsEdits?: boolean;
  /** What happens to a request that leaves too little room for a reply; `refuse` by default. */
  readonly whenFull?: WhenFull;
  /** The turn machine; `transition`, except in tests that observe decisions. */
  readonly machine?: Machine;
  /** Runs sub-agents; without it there are none. */
  readonly subAgents?: SubAgents;
  /** Resolves when interrupted runs may go on, and when conversations are opened at the earliest; absent: at once. */
  readonly restartsAfter?: Promise<void>;
  readonly opensAfter?: Promise<void>;
}

/** What is stored beside the message of a reply. */
export interface BesideReply {
  /** How the model was asked. */
  readonly request?: ModelRequestFacts;
  /** Who wrote what, and what showed it. */
  readonly reply?: ReplyRecord;
}

/** What is stored with what an activity reports. */
export interface BesideReport extends BesideReply {
  /** What is told to the audit log. */
  readonly noted?: readonly StoreWrite[];
}

/** How an activity reports to the conversation's queue. */
export interface Reports {
  /**
   * Reports the activity's outcome, with what is stored beside the message if it is a reply; ignored once the run has
   * dropped the activity.
   */
  readonly event: (activity: Activity, event: TurnEvent, beside?: BesideReport) => void;
  /** Reports a live block that shows the activity's progress: of a reply (null) or of a call. */
  readonly block: (activity: Activity, id: BlockId, callId: ToolCallId | null) => void;
  /** Writes the intent row of an effect, with what else is stored then; false while the disk refuses. */
  readonly intent: (effectId: string, also: readonly StoreWrite[]) => Promise<boolean>;
  /** Runs `job` in the conversation's queue if the activity still belongs to the run by then. */
  readonly again: (activity: Activity, job: () => Promise<void>) => void;
}

/** The run, its conversation and its turn when an effect is performed. */
export interface EffectContext {
  readonly run: RunRecord;
  readonly root: ForestRoot;
  readonly turn: ActingTurn;
}

/** Delay before retrying a write that the disk refused. Milliseconds. */
export const storeRetryMs = 1_000;
