import { unreachable } from "../base/assert.ts";
import { mergeFragments, type Fragment } from "./base/fragment.ts";
import type { Remark, ReplyEnd, ScanOptions } from "./base/scan-options.ts";
import { Scanner } from "./scanner.ts";
import type { Syntax } from "./base/syntax.ts";

/** What was recognised in a reply, and what looked like a call and was none. */
export interface Explanation {
  readonly fragments: readonly Fragment[];
  readonly remarks: readonly { readonly line: number; readonly text: string; readonly why: string }[];
}

const shownUnitsMax = 60;

/** Reads a reply for people who ask what happens with it: lines count from 1, each remark shows what stands there. */
export function explainReply(
  syntax: Syntax,
  reply: string,
  options: ScanOptions,
  end: ReplyEnd = "stopped",
): Explanation {
  if (syntax.grammar === null) {
    const start = 0;
    return { fragments: reply === "" ? [] : [{ type: "text", text: reply, start, end: reply.length }], remarks: [] };
  }
  const scanner = new Scanner(syntax.grammar, options);
  const fragments = mergeFragments([...scanner.feed(reply), ...scanner.finish(end)]);
  const remarks = scanner.remarks.map(({ at, why }) => ({
    line: reply.slice(0, at).split("\n").length,
    text: (reply.slice(at, at + shownUnitsMax).split("\n")[0] ?? "").toWellFormed(),
    why: reasonOf(why),
  }));
  return { fragments, remarks };
}

function reasonOf(why: Remark["why"]): string {
  switch (why) {
    case "not-at-line-start":
      return "A call begins at the first column of a line; this does not.";
    case "not-at-reply-start":
      return "A call is the first thing in a reply; something stands before this.";
    case "in-fence":
      return "This stands in a fenced code block.";
    case "in-quote":
      return "This stands in a code span or a block quote.";
    case "in-reasoning":
      return "This stands in the reasoning.";
    default:
      return unreachable(why);
  }
}
