import { mergeFragments, type Fragment } from "./base/fragment.ts";
import type { Grammar } from "./base/grammar.ts";
import type { ReplyEnd, ScanOptions } from "./base/scan-options.ts";
import { Scanner } from "./scanner.ts";

/** Returns the fragments of a complete reply: the same as when it streams. */
export function scan(
  grammar: Grammar,
  reply: string,
  options: ScanOptions,
  end: ReplyEnd = "stopped",
): readonly Fragment[] {
  const scanner = new Scanner(grammar, options);
  return mergeFragments([...scanner.feed(reply), ...scanner.finish(end)]);
}
