import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import { testWords } from "./provider-words.ts";

/** What a test of a provider found: announced, and red where it failed. */
export function TestResult({ tested }: { readonly tested: CommandAnswer<"provider.test"> }) {
  const hasFailed = tested.problem !== null;
  return (
    <p role={hasFailed ? "alert" : "status"} className={hasFailed ? "bad" : "quiet"} data-test-result>
      {testWords(tested)}
    </p>
  );
}
