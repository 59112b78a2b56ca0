import { memo, useCallback, useEffect, useState } from "react";
import type { WorkspaceView } from "../../../src/client/base/types.ts";
import { StateLine } from "../conversation/pane/state-line.tsx";
import { UsageLine } from "../conversation/pane/usage-line.tsx";
import type { Conversation } from "../conversation/state/conversation.ts";
import { type PaneName, shownPanes } from "../navigation/pane-layout.ts";
import { PaneToggles, TabBar } from "../shell/pane-bars.tsx";
import { useApp } from "../ui/app-context.ts";
import { useSelected } from "../ui/use-selected.ts";
import type { PageProps } from "./page-panes.tsx";

/** The foot of the page: pane toggles, current activity and cost. */
export function PageFoot({ workspace, shown, navigation, dispatch, breadth }: PageProps) {
  const { conversation, root } = shown;
  const { layout, front } = navigation;
  const onToggle = useCallback((pane: PaneName) => dispatch({ type: "pane-toggled", pane }), [dispatch]);
  const onFront = useCallback((pane: PaneName) => dispatch({ type: "pane-fronted", pane }), [dispatch]);
  return (
    <>
      <footer className="status-bar" data-region="status" aria-label="State" tabIndex={-1}>
        {breadth !== "narrow" && <PaneToggles panes={shownPanes(breadth, layout, front)} onToggle={onToggle} />}
        <StateLine conversation={conversation} />
        {root !== null && <Usage conversation={conversation} modelId={root.model} models={workspace.models} />}
      </footer>
      {breadth === "narrow" && <TabBar front={front} onFront={onFront} />}
    </>
  );
}

const Usage = memo(function Usage(props: {
  readonly conversation: Conversation;
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
}) {
  const { conversation } = props;
  const { path, nodesById, isPart } = useSelected(conversation.state, ({ path, tree }) => ({
    path,
    nodesById: tree?.nodesById ?? null,
    isPart: (tree?.part ?? null) !== null,
  }));
  const { client } = useApp();
  const [dollars, setDollars] = useState<number | null>(null);
  const { rootId } = conversation;
  const tipId = path.at(-1)?.id;
  // Of a part only the server knows the sum.
  useEffect(() => {
    if (!isPart || rootId === null) return setDollars(null);
    void client.call("conversation.usage", { rootId }).then((usage) => {
      if (usage.ok) setDollars(usage.value.total.dollars);
    });
  }, [client, rootId, isPart, tipId]);
  return (
    <UsageLine modelId={props.modelId} models={props.models} path={path} nodesById={nodesById} dollars={dollars} />
  );
});
