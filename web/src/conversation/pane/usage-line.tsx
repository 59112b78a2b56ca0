import { memo, useMemo } from "react";
import type { ConversationView, WorkspaceView } from "../../../../src/client/base/types.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { type Costs, costsOf } from "../../../../src/core/model/cost.ts";
import { costWords } from "../../../../src/core/base/cost-words.ts";

/** The model that answers next, the branch's share of its context, and the conversation's cost so far. */
export const UsageLine = memo(function UsageLine(props: {
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  readonly path: readonly ForestNode[];
  /** Every message of the conversation. */
  readonly nodesById: ConversationView["nodesById"] | null;
  /** What the conversation cost, where not all of its messages are here. */
  readonly dollars: number | null;
}) {
  const { models, path, nodesById } = props;
  const known = models.find((model) => model.id === props.modelId);
  const usage = path.findLast((node) => node.usage !== null)?.usage ?? null;
  const used = usage === null ? null : usage.inputTokens + usage.outputTokens;
  const number = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
  const costs = useMemo(() => {
    const pricesOf = (id: string) => models.find((model) => model.id === id)?.prices ?? null;
    const branch = costsOf(path, pricesOf);
    const here = nodesById === null ? branch : costsOf([...nodesById.values()], pricesOf);
    const whole = props.dollars === null ? here : { ...here, total: props.dollars };
    const last = path.findLast((node) => branch.byNode.has(node.id));
    return {
      branch,
      whole,
      isPart: props.dollars !== null,
      last: last === undefined ? 0 : (branch.byNode.get(last.id) ?? 0),
    };
  }, [models, path, nodesById, props.dollars]);
  return (
    <p className="usage-line">
      <span>{props.modelId}</span>
      {used !== null && (
        <span title="Tokens of the last request, of what the model can take">
          {number.format(used)}
          {known === undefined || known.contextTokensMax === null
            ? ""
            : ` / ${number.format(known.contextTokensMax)}`}{" "}
          tokens
        </span>
      )}
      {costs.whole.total > 0 && (
        <span className="usage-cost" title={costTitle(costs)}>
          {costWords(costs.whole.total)}
        </span>
      )}
    </p>
  );
});

function costTitle({
  branch,
  whole,
  last,
  isPart,
}: {
  readonly branch: Costs;
  readonly whole: Costs;
  readonly last: number;
  readonly isPart: boolean;
}): string {
  const parts = [
    `About what this conversation has cost: ${costWords(whole.total)}`,
    ...(isPart ? [] : [`this branch ${costWords(branch.total)}`]),
    `its last reply ${costWords(last)}`,
  ];
  if (whole.unpriced > 0) parts.push(`${whole.unpriced} replies by models without a known price are left out`);
  return parts.join("; ");
}
