import * as v from "valibot";
import { failureClasses } from "../../model/failure.ts";
import { described, shown } from "../base/parts.ts";

/** Why a provider that was asked for its models listed none. */
export const askedProblem = described(
  v.nullable(
    v.object({
      class: v.picklist(failureClasses),
      message: shown("Anthropic refused the key (401): invalid x-api-key. Set a valid key in the settings."),
    }),
  ),
  "Why it listed no models; null if it did.",
);

/** A model as its provider, a person or Heddle names it. */
export const askedModel = v.object({
  id: v.pipe(v.string(), v.description("`provider/model`."), v.examples(["anthropic/claude-sonnet-4-5"])),
  name: shown("Claude Sonnet 4.5"),
  window: described(v.nullable(v.pipe(v.number(), v.examples([200_000]))), "Total window in tokens; null if unknown."),
  syntax: shown("native", "The tool syntax that a conversation with it begins with."),
  proposedSyntax: described(
    v.nullable(v.pipe(v.string(), v.examples(["qwen-xml"]))),
    "The tool syntax that its chat template shows; null if none was recognised.",
  ),
  from: described(
    v.picklist(["server", "person", "heddle"]),
    "Who names it: the provider's list, a person's file or flag, or Heddle's own table.",
  ),
});
