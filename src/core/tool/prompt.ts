import { enabledFamilies, offerTo, type ToolFeatures } from "./registry.ts";
import type { TurnKind } from "./base/types.ts";

/** Returns the part of the system prompt that explains the enabled tools; empty when none is enabled. */
export function toolPrompt(features: ToolFeatures, kind: TurnKind = "conversation"): string {
  const offer = offerTo(features, kind);
  return enabledFamilies(features)
    .map((family) => family.prompt(offer))
    .filter((part) => part !== null)
    .join("\n\n");
}
