import type { ToolSpec, TurnKind } from "./types.ts";

/** The caller that the tools are offered to, and the hosts it can reach. */
export interface ToolOffer {
  readonly kind: TurnKind;
  /** Hosts that commands may connect to. */
  readonly hosts: readonly string[];
  /** Whether files may only be read. */
  readonly readOnly: boolean;
  /** Whether commands are offered too. */
  readonly shell: boolean;
}

/** Tools that are switched on and off together. A family that is off leaves no trace in any request. */
export interface ToolFamily {
  /** The tools, in the order in which a model sees them. */
  specs(offer: ToolOffer): readonly ToolSpec[];
  /** Tools that several families share: offered once, after all others. */
  readonly shared?: readonly ToolSpec[];
  /** The section of the system prompt about these tools; null when they need none. */
  prompt(offer: ToolOffer): string | null;
  /** Whether its tools need the workspace folder. */
  readonly needsFolder: boolean;
}
