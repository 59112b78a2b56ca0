import { useState } from "react";
import type { NodeId } from "../../../src/core/base/ids.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import type { RunHead } from "../view/run/run-head.ts";

/** A full branch that is being summarized: it stays, and a new branch continues with the summary. */
export function ExhaustedCard(props: { readonly run: RunHead; readonly onShow: (nodeId: NodeId) => void }) {
  const { client, tell } = useApp();
  const [asked, setAsked] = useState(false);
  const { state } = props.run;
  if (state.type !== "context-exhausted") return null;
  const goOn = (): void => {
    setAsked(true);
    void client.call("run.continue", { runId: props.run.runId }).then((result) => {
      setAsked(false);
      if (result.ok) props.onShow(result.value.nodeId);
      else tell(result.error);
    });
  };
  return (
    <section className="turn-card" data-card="exhausted" aria-label="This branch is summarized">
      <Icon name="branch" size={18} />
      <div>
        <h3>This branch is summarized</h3>
        <p>
          The branch accepts no more messages, and nothing in it is lost. Continue in a new branch that begins with the
          summary above.
        </p>
        <div className="button-row">
          <button type="button" className="button primary" disabled={asked} onClick={goOn}>
            Continue in a new branch
          </button>
        </div>
      </div>
    </section>
  );
}
