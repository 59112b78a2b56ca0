import { estimateInputTokens } from "../../../core/message/tokens.ts";
import type { SyntaxTool } from "../../../core/syntax/base/tools.ts";

/** What a request says besides the conversation. */
interface Told {
  readonly system: string;
  /** How to use the tools, as told to the model; empty for nothing. */
  readonly explained: string;
  readonly tools: readonly SyntaxTool[];
}

/** The least room for question and answer beside the tools: a share of the window, and tokens. */
const roomShareMin = 1 / 4;
const roomTokensMin = 1_280;

/**
 * Tells a model that it works without tools, so that it does not promise what it cannot do.
 */
const withoutTools =
  "Your context window is too small for the tools of this workspace, so you have none in this conversation. If a request needs them, say so.";

/**
 * Leaves out the tools where they would fill a small window, so that question and answer fit. The choice depends on nothing
 * that changes within a turn.
 */
export function fittingTools(told: Told, window: number | null): Told {
  if (window === null || told.tools.length === 0) return told;
  const described = JSON.stringify(
    told.tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]),
  );
  const used = estimateInputTokens([], `${told.system}${told.explained}${described}`);
  const isFitting = window - used >= Math.max(roomTokensMin, window * roomShareMin);
  return isFitting ? told : { ...told, explained: withoutTools, tools: [] };
}
