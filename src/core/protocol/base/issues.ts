import * as v from "valibot";

/** What was wrong with a value from outside, in few words and without repeating its content. */
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

/** What the schema says of it in its own words; where it has none, the form. The library's own words repeat what was given. */
function expectedOf({ message, expected }: v.BaseIssue<unknown>): string {
  return expected === null || !message.startsWith("Invalid ") ? message : expected;
}
