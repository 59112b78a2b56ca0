import * as v from "valibot";

/** Returns what is wrong with an untrusted value, briefly and without its content. */
export function factsOfIssues(issues: readonly v.BaseIssue<unknown>[]): {
  readonly issues: readonly { readonly path: string; readonly expected: string }[];
} {
  return {
    issues: issues.slice(0, 5).map((issue) => ({
      path: v.getDotPath(issue) ?? "",
      expected: expectedOf(issue),
    })),
  };
}

/**
 * Returns the schema's own words for what it expects, or its form. The library's messages would repeat the given value, and
 * name a missing field again, which is the path already.
 */
function expectedOf({ message, expected }: v.BaseIssue<unknown>): string {
  if (message.startsWith("Invalid key:")) return expected === "never" ? "no such field" : "a value; none was given";
  return expected === null || !message.startsWith("Invalid ") ? message : expected;
}
