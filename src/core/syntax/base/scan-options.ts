import type { CallPolicy } from "../../forest/run-rules.ts";
import type { SyntaxTool } from "./tools.ts";

/** The settings of a reading besides its grammar. */
export interface ScanOptions {
  readonly tools: readonly SyntaxTool[];
  readonly policy: CallPolicy;
  /** The initial state: reasoning when the model's template has already opened it. */
  readonly startIn?: "text" | "reasoning";
}

/** How a reply ended: the model itself stopped, or it was cut off. */
export type ReplyEnd = "stopped" | "cut";

/** Something that looked like a call but was not read as one, with the reason. */
export interface Remark {
  /** The offset in the reply. */
  readonly at: number;
  readonly why: "not-at-line-start" | "not-at-reply-start" | "in-fence" | "in-quote" | "in-reasoning";
}
