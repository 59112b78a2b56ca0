import type { BlockId } from "../../core/base/ids.ts";
import type { AgentId } from "../../core/text/types.ts";

/**
 * Every key of the store's `meta`: facts of the whole workspace. What belongs to a conversation is not among them; it has
 * a table or a column with the conversation's id, by which it is deleted.
 */
export const metaKeys = {
  /** The presets, and which of them is active. */
  presets: "presets",
  /** The policy that new canvases begin with. */
  canvasPolicy: "canvas-policy",
  /** When blobs were swept last. */
  blobsSwept: "blobs.swept",
  /** What was learned of how models count tokens. */
  tokenCalibrations: "tokens.calibrations",
  /** The agent of a client; see `clientKey`. */
  agentOfClient: (client: string) => `agent-of-client/${client}`,
  /** The agent by which the server writes for a page's. */
  handOfAgent: (agent: AgentId) => `hand-of-agent/${agent}`,
  /** The agent that a hand writes for. */
  ownerOfAgent: (hand: AgentId) => `owner-of-agent/${hand}`,
  /** How a file block and its file stand to each other. */
  file: (blockId: BlockId) => `file/${blockId}`,
} as const;
