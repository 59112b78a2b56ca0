import { useEffect, useState } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { ConversationUsage } from "../../../src/core/protocol/commands.ts";
import { costWords } from "../../../src/core/base/cost-words.ts";
import { useApp } from "../ui/app-context.ts";

/** A conversation's usage, in total and by model, and the rest of its budget. */
export function UsageSection(props: { readonly rootId: RootId; readonly contextUsed: number | null }) {
  const { client } = useApp();
  const [usage, setUsage] = useState<ConversationUsage | null>(null);
  useEffect(() => {
    let here = true;
    void client.call("conversation.usage", { rootId: props.rootId }).then((result) => {
      if (here && result.ok) setUsage(result.value);
    });
    return () => {
      here = false;
    };
  }, [client, props.rootId]);
  if (usage === null) return null;
  const { total, subAgents, models, days, left, pricesOf } = usage;
  const tokens = total.usage.inputTokens + total.usage.outputTokens;
  const ofAgents = subAgents.usage.inputTokens + subAgents.usage.outputTokens;
  return (
    <div className="setting">
      <h3>Usage</h3>
      <p>
        {number.format(tokens)} tokens{total.dollars > 0 ? `, ${costWords(total.dollars)}` : ""}
        {ofAgents > 0 && ` · ${number.format(ofAgents)} of them by sub-agents`}
        {left.tokens !== null && ` · ${number.format(left.tokens)} tokens left`}
        {left.dollars !== null && ` · ${costWords(left.dollars)} left`}
        {props.contextUsed !== null && ` · this branch fills ${shareWords(props.contextUsed)} of the context`}
      </p>
      {models.length > 1 && (
        <ul className="quiet">
          {models.map(({ model, usage: own, dollars }) => (
            <li key={model}>
              {model}: {number.format(own.inputTokens + own.outputTokens)} tokens
              {dollars > 0 ? `, ${costWords(dollars)}` : ""}
            </li>
          ))}
        </ul>
      )}
      {days.length > 1 && (
        <ul className="quiet">
          {days.slice(-7).map(({ day, usage: own, dollars }) => (
            <li key={day}>
              {day}: {number.format(own.inputTokens + own.outputTokens)} tokens
              {dollars > 0 ? `, ${costWords(dollars)}` : ""}
            </li>
          ))}
        </ul>
      )}
      {total.dollars > 0 && (
        <p className="quiet">Prices of models that no file or provider names are from Heddle’s table of {pricesOf}.</p>
      )}
    </div>
  );
}

/** Returns a share in per cent; a positive share is never shown as zero. */
function shareWords(share: number): string {
  const percent = Math.floor(share * 100);
  return percent === 0 && share > 0 ? "less than 1 %" : `${percent} %`;
}

const number = new Intl.NumberFormat();
