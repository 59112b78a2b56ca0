import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { errorAdvice, errorTitle } from "../../view/words/failure-words.ts";
import type { RunHead } from "../../view/run/run-head.ts";

/** A failed request in three parts: what happened, what is safe, what to do. */
export function ErrorCard(props: {
  readonly run: RunHead;
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  readonly onRetry: () => void;
  readonly onModel: (modelId: string) => void;
  readonly onKeys: () => void;
}) {
  const { state } = props.run;
  if (state.type !== "error") return null;
  const details = `kind: ${state.kind}\nclass: ${state.detail}\nmodel: ${props.modelId}\nrun: ${props.run.runId}\nmessage: ${state.message}`;
  return (
    <section className="error-card" data-kind={state.kind} aria-label="What went wrong">
      <Icon name="alert" size={18} />
      <div>
        <h3>{errorTitle(state)}</h3>
        <p className="error-words">{state.message}</p>
        <p>Your message and everything written before are saved. {errorAdvice(state)}</p>
        <div className="button-row">
          <button type="button" className="button primary" onClick={props.onRetry}>
            Retry
          </button>
          <Menu
            label="Switch model"
            className="button"
            face="Switch model"
            items={props.models.map((model) => ({
              label: model.name,
              checked: model.id === props.modelId,
              run: () => props.onModel(model.id),
            }))}
          />
          {state.detail === "auth" && (
            <button type="button" className="button" onClick={props.onKeys}>
              Open settings
            </button>
          )}
          <span className="with-copy">
            Copy details <CopyButton text={details} label="Copy details" />
          </span>
        </div>
      </div>
    </section>
  );
}
