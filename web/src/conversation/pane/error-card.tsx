import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { errorAdvice, errorTitle, mendedInSettings } from "../../view/words/failure-words.ts";
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
  const isKey = state.detail === "auth";
  return (
    <section className="error-card" data-kind={state.kind} aria-label="What went wrong">
      <Icon name="alert" size={18} />
      <div>
        <h3>{errorTitle(state)}</h3>
        {/* A provider may send pages of words: they scroll, so that the buttons and the composer stay. */}
        <div className="error-words" role="region" aria-label="The provider’s words" tabIndex={0}>
          {state.message}
        </div>
        <p>Your message and everything written before are saved. {errorAdvice(state)}</p>
        <div className="button-row">
          {/* A refused key is refused again. */}
          {isKey && <SettingsButton primary onPress={props.onKeys} />}
          <button type="button" className={isKey ? "button" : "button primary"} onClick={props.onRetry}>
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
          {!isKey && mendedInSettings(state) && <SettingsButton onPress={props.onKeys} />}
          <CopyButton text={details} label="Copy details" face="Copy details" />
        </div>
      </div>
    </section>
  );
}

function SettingsButton({ primary = false, onPress }: { readonly primary?: boolean; readonly onPress: () => void }) {
  return (
    <button type="button" className={primary ? "button primary" : "button"} onClick={onPress}>
      Open settings
    </button>
  );
}
