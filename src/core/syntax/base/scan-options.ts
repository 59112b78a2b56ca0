import type { CallPolicy } from "../../forest/run-rules.ts";
import type { SyntaxTool } from "./tools.ts";

/** What the reading of a reply goes by besides its grammar. */
export interface ScanOptions {
  readonly tools: readonly SyntaxTool[];
  readonly policy: CallPolicy;
  /** Where the reply begins: in its reasoning when the model's template has opened that already. */
  readonly startIn?: "text" | "reasoning";
}

/** How a reply ended: the model itself stopped, or it was cut off. */
export type ReplyEnd = "stopped" | "cut";

/** Something that looked like a call and was not read as one, for people who ask why. */
export interface Remark {
  /** Offset in the reply. */
  readonly at: number;
  readonly why: "not-at-line-start" | "not-at-reply-start" | "in-fence" | "in-quote" | "in-reasoning";
}
