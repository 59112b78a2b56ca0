import type { Refusal } from "../../core/base/errors.ts";
import type { DocumentId, FolderId, RunId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type { Store } from "../../core/port/store.ts";
import type { WordIndex } from "../document/word-index.ts";
import type { Platform } from "../../core/port/platform.ts";
import { readToolInput } from "../../core/tool/base/definitions.ts";
import type { ToolInput, ToolSpec } from "../../core/tool/base/types.ts";
import type { Reach } from "../access/reach.ts";
import type { WorkingDraft } from "../../core/turn/state/settings.ts";
import type { BlobKeeper } from "../blobs/blob-keeper.ts";
import type { Replicas } from "../replica/replica-registry.ts";
import type { ToolContext } from "../conversation/base/ports.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Searcher } from "../../core/port/searcher.ts";
import type { Author } from "../document/record/types.ts";
import type { FolderParts, ToolFolders } from "../files/folder-types.ts";
import type { LeaseKeeper } from "../lease/types.ts";
import type { ToolOutput, ToolRefusal } from "./answer.ts";
import type { CommandSlots } from "./command-slots.ts";

/** The parts of the host that tools use. */
export interface ToolPorts {
  readonly hub: DocumentHub;
  readonly leases: LeaseKeeper;
  readonly replicas: Replicas;
  readonly searcher: Searcher;
  readonly platform: Platform;
  readonly store: Pick<
    Store,
    | "searchWords"
    | "indexedTexts"
    | "textModule"
    | "path"
    | "nodes"
    | "root"
    | "roots"
    | "trashed"
    | "run"
    | "block"
    | "suggestions"
    | "thread"
  >;
  readonly words: Pick<WordIndex, "settle">;
  readonly folders: ToolFolders;
  readonly blobs: Pick<BlobKeeper, "get" | "uses">;
  /** Whether the audit log of a team has what is moved. */
  readonly isAudited?: boolean;
}

/** One running call of a block tool, by an agent or by a person. */
export interface BlockToolRun {
  readonly ports: ToolPorts;
  readonly signal: AbortSignal;
  /** The document of the caller's blocks. Canvases and files of the folder can be reached, other blocks only in this one. */
  readonly documentId: DocumentId;
  /** The folder of the caller's conversation; null without one. */
  readonly folderId: FolderId | null;
  /** The parts of that folder, or why it cannot be used now; null without a folder. */
  readonly folder: Result<FolderParts, Refusal> | null;
  /** The run that must hold the lease of a canvas; null for a person, who needs none. */
  readonly leaseHolder: RunId | null;
  /** The draft that an agent's turn works in. Absent: the texts that everybody shares. */
  readonly draft?: WorkingDraft | undefined;
  /** Whether canvases exist for the caller: not for an agent whose canvas tools are switched off. */
  readonly canvases: boolean;
  /** What the caller may know of; absent: every document and conversation. */
  readonly reach?: Reach | null;
  /** Returns the author of the call's changes, which form one undo unit. */
  author(): Promise<Author>;
}

/** One running call of an agent. */
export interface ToolRun extends BlockToolRun {
  readonly context: ToolContext;
  readonly commandSlots: CommandSlots;
}

/** A tool with its implementation. */
export interface RunnableTool<Run> {
  readonly spec: ToolSpec;
  readonly run: (parameters: JsonObject, run: Run) => Promise<Result<ToolOutput, ToolRefusal>>;
}

/** Joins a tool's description and its implementation; invalid parameters are refused before it runs. */
export function runnable<Spec extends ToolSpec, Run>(
  spec: Spec,
  handle: (input: ToolInput<Spec>, run: Run) => Promise<Result<ToolOutput, ToolRefusal>>,
): RunnableTool<Run> {
  return {
    spec,
    run: async (parameters, run) => {
      const input = readToolInput(spec, parameters);
      return input.ok ? handle(input.value, run) : input;
    },
  };
}
