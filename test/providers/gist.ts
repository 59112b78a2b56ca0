import { readToolArguments } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";

/** The facts of a reply that every reader must agree on. Undefined: the reader does not report it. */
export interface Gist {
  readonly text: string;
  readonly thinking: string | undefined;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly outputTokens: number | undefined;
}

export function gistOf(parts: readonly StreamPart[]): Gist {
  const said = (type: "text-delta" | "thinking-delta"): string =>
    parts.map((part) => (part.type === type ? part.text : "")).join("");
  const end = parts.at(-1);
  return {
    text: said("text-delta"),
    thinking: said("thinking-delta"),
    calls: parts.flatMap((part) => {
      if (part.type !== "tool-call-start") return [];
      const json = parts.map((grown) =>
        grown.type === "tool-call-delta" && grown.index === part.index ? grown.text : "",
      );
      return [{ name: part.name, input: readToolArguments(json.join("")).parameters }];
    }),
    outputTokens: end?.type === "finished" ? end.usage.outputTokens : undefined,
  };
}
