import { unreachable } from "../base/assert.ts";
import { mergeFragments, type Fragment } from "./base/fragment.ts";
import type { Remark, ReplyEnd, ScanOptions } from "./base/scan-options.ts";
import { Scanner } from "./scanner.ts";
import type { Syntax } from "./base/syntax.ts";

/** What was recognised in a reply, and what looked like a call but was not read as one. */
export interface Explanation {
  readonly fragments: readonly Fragment[];
  readonly remarks: readonly { readonly line: number; readonly text: string; readonly why: string }[];
}

const shownUnitsMax = 60;

/** Explains how a reply is read: lines count from 1, each remark shows the text at its place. */
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
      return "A call must begin in the first column of a line.";
    case "not-at-reply-start":
      return "A call must be the first thing in a reply; other text precedes this.";
    case "in-fence":
      return "This is inside a fenced code block.";
    case "in-quote":
      return "This is inside a code span or a block quote.";
    case "in-reasoning":
      return "This is inside the reasoning.";
    default:
      return unreachable(why);
  }
}
