import { memo } from "react";
import type { WorkspaceView } from "../../../src/client/types.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";

/** Which model answers next and how much of its context the branch fills. */
export const UsageLine = memo(function UsageLine(props: {
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  readonly path: readonly ForestNode[];
}) {
  const known = props.models.find((model) => model.id === props.modelId);
  const usage = props.path.findLast((node) => node.usage !== null)?.usage ?? null;
  const used = usage === null ? null : usage.inputTokens + usage.outputTokens;
  const number = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
  return (
    <p className="usage-line">
      <span>{props.modelId}</span>
      {used !== null && (
        <span title="Tokens of the last request, of what the model can take">
          {number.format(used)}
          {known === undefined ? " tokens" : ` / ${number.format(known.contextTokensMax)}`}
        </span>
      )}
    </p>
  );
});
