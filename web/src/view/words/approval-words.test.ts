import { expect, test } from "vitest";
import { allowancesFor, furtherCalls } from "./approval-words.ts";

const words = (reason: Parameters<typeof allowancesFor>[0]) => allowancesFor(reason).map(([, label]) => label);

test("a call that is asked about each time offers no longer permission, which would cover nothing", () => {
  for (const reason of ["in-draft", "run-by-others"] as const) expect(words(reason)).toEqual(["Allow once"]);
  for (const reason of ["tier", "taint", "definition-changed"] as const) {
    expect(words(reason)).toEqual(["Allow once", "Allow in this conversation", "Always allow"]);
  }
});

test("a longer permission says what it covers: every call of the tool, or exactly this one", () => {
  expect(furtherCalls("web_read", "tier")).toContain("every later call of web_read");
  expect(furtherCalls("web_read", "taint")).toContain("exactly this call");
});
