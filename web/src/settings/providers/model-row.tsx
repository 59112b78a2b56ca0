import { useState } from "react";
import type { ProviderState } from "../../../../src/core/protocol/base/provider-state.ts";
import { windowIn, windowWords } from "./provider-words.ts";

/** A model with its window, which a person can set over what its server says. */
export function ModelRow(props: {
  readonly model: ProviderState["models"][number];
  readonly live: boolean;
  readonly onWindow: (model: string, contextTokens: number | null) => void;
}) {
  const { model, live, onWindow } = props;
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const tokens = windowIn(typed);
  return (
    <form
      className="model-row"
      onSubmit={(event) => {
        event.preventDefault();
        if (tokens === null) return;
        onWindow(model.id, tokens);
        setTyped("");
      }}
    >
      <span>
        {model.name} <code>{model.id}</code> <small className="quiet">{windowWords(model)}</small>
      </span>
      <button
        type="button"
        className="quiet-button"
        aria-expanded={isOpen}
        aria-label={`Set the window of ${model.id}`}
        onClick={() => setOpen(!isOpen)}
      >
        Set
      </button>
      {isOpen && (
        <div className="setting-field">
          <input
            aria-label={`Window of ${model.id} in tokens`}
            inputMode="numeric"
            placeholder="Tokens, such as 8192"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <button type="submit" className="button small" disabled={!live || tokens === null}>
            Set window
          </button>
          {model.windowSet && (
            <button type="button" className="button small" disabled={!live} onClick={() => onWindow(model.id, null)}>
              Take it back
            </button>
          )}
        </div>
      )}
    </form>
  );
}
