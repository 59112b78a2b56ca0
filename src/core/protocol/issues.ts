import * as v from "valibot";

/** What was wrong with a value from outside, in few words and without repeating its content. */
export function factsOfIssues(issues: readonly v.BaseIssue<unknown>[]): {
  readonly issues: readonly { readonly path: string; readonly expected: string }[];
} {
  return {
    issues: issues.slice(0, 5).map((issue) => ({
      path: v.getDotPath(issue) ?? "",
      expected: issue.expected ?? issue.message,
    })),
  };
}
