import { useMemo } from "react";
import { costWords } from "../../../../src/core/base/cost-words.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { spentOn } from "../../../../src/core/model/spent.ts";
import { useMessageActions } from "./message-actions.ts";

/** What a reply used and cost, with those of equal replies; nothing for one whose tokens nobody counted. */
export function MessageUsage({ node }: { readonly node: ForestNode }) {
  const models = useMessageActions()?.models;
  const spent = useMemo(() => {
    const pricesOf = (id: string) => models?.find((model) => model.id === id)?.prices ?? null;
    return spentOn([node], pricesOf).total;
  }, [node, models]);
  const { inputTokens, outputTokens, cachedInputTokens } = spent.usage;
  if (inputTokens + outputTokens === 0) return null;
  const cached =
    cachedInputTokens === 0 ? "" : `, ${number.format(cachedInputTokens)} of them from the provider’s cache`;
  const price = spent.unpriced > 0 ? "; its model’s price is not known" : "";
  return (
    <span
      className="message-usage"
      title={`${number.format(inputTokens)} tokens read${cached}; ${number.format(outputTokens)} written${price}`}
    >
      {short.format(inputTokens + outputTokens)} {inputTokens + outputTokens === 1 ? "token" : "tokens"}
      {spent.unpriced < spent.requests && ` · ${costWords(spent.dollars)}`}
    </span>
  );
}

const number = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
