import type { ToolSpec, TurnKind } from "./types.ts";

/** Who the tools are offered to, and what they can reach there. */
export interface ToolOffer {
  readonly kind: TurnKind;
  /** Hosts that commands may connect to. */
  readonly hosts: readonly string[];
}

/** Tools that are switched on and off together. A family that is off leaves no trace in any request. */
export interface ToolFamily {
  /** The tools, in the order in which a model reads of them. */
  specs(offer: ToolOffer): readonly ToolSpec[];
  /** Tools that several families bring: offered once, after all others. */
  readonly shared?: readonly ToolSpec[];
  /** The section of the system prompt about these tools; null where it needs none. */
  prompt(offer: ToolOffer): string | null;
  /** Whether its tools need the workspace folder. */
  readonly needsFolder: boolean;
}
