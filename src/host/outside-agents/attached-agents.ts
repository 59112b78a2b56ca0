import type { NodeId, RootId, RunId, TurnId } from "../../core/base/ids.ts";
import type { BlobStore } from "../../core/port/blobs.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { AccessTokens } from "../access/access-tokens.ts";
import type { TurnRights } from "../access/turn-rights.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { Folders } from "../files/folder-types.ts";
import type { Replicas } from "../replica/replica-registry.ts";

/** The parts of a workspace that agents work with. */
export interface AgentsWorkspace {
  readonly hub: DocumentHub;
  readonly replicas: Replicas;
  readonly folders: Folders;
  readonly blobs: Pick<BlobStore, "get">;
  readonly platform: Platform;
  readonly tokens: Pick<AccessTokens, "lent">;
  readonly rights: Pick<TurnRights, "lenderOf" | "reachOfRun">;
  /** Calls `look` after each change of a conversation; returns a function that stops. */
  watch(rootId: RootId, look: () => void): Promise<() => void>;
  /** Whether a run still works on this turn. */
  isUnderWay(rootId: RootId, runId: RunId, turnId: TurnId): Promise<boolean>;
  /** How many runs want a reply to this message. */
  wantedReplies(rootId: RootId, nodeId: NodeId): Promise<number>;
}

/** The agents of other programs, as a workspace knows them. */
export interface AttachedAgents {
  /** Their calls, which only they make. */
  readonly tools: ToolSource;
  /** Takes the workspace; before, no agent answers. */
  attach(workspace: AgentsWorkspace): void;
  /** Ends their programs. */
  close(): Promise<void>;
}
