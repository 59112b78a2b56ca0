import type { Actor } from "../base/actor.ts";
import type { BlockId, NodeId, RootId, RunId, TurnId } from "../base/ids.ts";
import type { Message } from "../message/types.ts";
import type { Usage } from "../message/usage.ts";

/** A conversation: a system prompt, settings, and the nodes below. Holds no message itself. */
export interface ForestRoot {
  readonly id: RootId;
  readonly slug: string;
  readonly title: string;
  readonly systemPrompt: string;
  /** `provider/model` for the next turn. */
  readonly model: string;
  /** The canvas that this conversation works on now. */
  readonly canvasId: BlockId | null;
  /** Working folder of the agent's tools; fixed at creation. */
  readonly cwd: string;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One message at one place of the tree. */
export interface ForestNode {
  readonly id: NodeId;
  readonly rootId: RootId;
  /** null directly below the root. */
  readonly parentId: NodeId | null;
  /** Hash of the parent's hash and the canonical message: equal hashes, equal conversations so far. */
  readonly prefixHash: string;
  readonly message: Message;
  readonly actor: Actor;
  readonly runId: RunId | null;
  readonly turnId: TurnId | null;
  readonly usage: Usage | null;
  readonly createdAt: number;
}
