import type { Syntax } from "../base/syntax.ts";

/** The provider's own tool calls: the text is text alone. */
export const native: Syntax = {
  id: "native",
  title: "Native",
  tier: "native",
  models: "Every model whose provider has tool calls",
  sources: [],
  grammar: null,
  writing: { type: "native" },
  results: { open: "", close: "" },
  explanation: "",
};
