import { useId, useState } from "react";
import type { Preset } from "../../../src/core/turn/state/preset.ts";
import { LockNote } from "../ui/lock/lock-note.tsx";
import { draftOf, emptyDraft, presetIn, type Presets, presetWords } from "../conversation/ask/presets.ts";

/** The presets: the active one, and a form to create and edit them. */
export function PresetSettings({ presets, live: isLive }: { readonly presets: Presets; readonly live: boolean }) {
  const live = isLive && presets.lockedBy === undefined;
  /** The preset in the form; "" for a new one, null for none. */
  const [edited, setEdited] = useState<string | null>(null);
  const known = presets.presets.find(({ name }) => name === edited);
  return (
    <section className="setting" aria-labelledby="preset-heading">
      <h3 id="preset-heading">Presets</h3>
      <p className="quiet">
        A preset sets how many replies to ask for, how varied and how long they are. The active preset applies to every
        message in this workspace.
      </p>
      <LockNote by={presets.lockedBy} />
      {presets.presets.length > 0 && (
        <ul className="presets" aria-label="Presets">
          <li className="preset">
            <label>
              <input
                type="radio"
                name="active-preset"
                checked={presets.active === null}
                disabled={!live}
                onChange={() => void presets.activate(null)}
              />
              <span>None</span>
            </label>
            <span className="quiet">one reply, with the model’s defaults</span>
          </li>
          {presets.presets.map((preset) => (
            <PresetRow
              key={preset.name}
              preset={preset}
              presets={presets}
              live={live}
              onEdit={() => setEdited(preset.name)}
              onDeleted={() => {
                if (edited === preset.name) setEdited(null);
              }}
            />
          ))}
        </ul>
      )}
      {edited === null ? (
        <button type="button" className="button small" disabled={!live} onClick={() => setEdited("")}>
          New preset
        </button>
      ) : (
        <PresetForm
          key={edited}
          before={known === undefined ? null : known.name}
          start={known === undefined ? emptyDraft : draftOf(known)}
          presets={presets}
          live={live}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}

function PresetRow(props: {
  readonly preset: Preset;
  readonly presets: Presets;
  readonly live: boolean;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}) {
  const { preset, presets, live } = props;
  return (
    <li className="preset">
      <label>
        <input
          type="radio"
          name="active-preset"
          checked={presets.active === preset.name}
          disabled={!live}
          onChange={() => void presets.activate(preset.name)}
        />
        <span>{preset.name}</span>
      </label>
      <span className="quiet">{presetWords(preset)}</span>
      <span className="preset-actions">
        <button
          type="button"
          className="button small"
          disabled={!live}
          aria-label={`Edit the preset ${preset.name}`}
          onClick={props.onEdit}
        >
          Edit
        </button>
        <button
          type="button"
          className="button small"
          disabled={!live}
          aria-label={`Delete the preset ${preset.name}`}
          onClick={() => {
            void presets.remove(preset.name);
            props.onDeleted();
          }}
        >
          Delete
        </button>
      </span>
    </li>
  );
}

function PresetForm(props: {
  /** The previous name; null for a new preset. */
  readonly before: string | null;
  readonly start: typeof emptyDraft;
  readonly presets: Presets;
  readonly live: boolean;
  readonly onClose: () => void;
}) {
  const { presets } = props;
  const [draft, setDraft] = useState(props.start);
  const [problem, setProblem] = useState("");
  const id = useId();
  const keep = async (): Promise<void> => {
    const read = presetIn(draft);
    if ("problem" in read) return setProblem(read.problem);
    const { name } = read.preset;
    const taken = name !== props.before && presets.presets.some((other) => other.name === name);
    if (taken) return setProblem("Another preset has this name. Choose a different one.");
    if (!(await presets.put(read.preset))) return;
    const { before } = props;
    if (before !== null && before !== name) {
      if (presets.active === before) await presets.activate(name);
      await presets.remove(before);
    }
    props.onClose();
  };
  const fields = [
    { key: "name", label: "Name", hint: "", mode: "text" },
    { key: "n", label: "Replies at once", hint: "1", mode: "numeric" },
    { key: "temperature", label: "Temperature, 0 to 2", hint: "model default", mode: "decimal" },
    { key: "maxTokens", label: "Longest reply, in tokens", hint: "model default", mode: "numeric" },
  ] as const;
  return (
    <form
      className="preset-form"
      aria-label={props.before === null ? "New preset" : `Preset ${props.before}`}
      onSubmit={(event) => {
        event.preventDefault();
        void keep();
      }}
    >
      {fields.map(({ key, label, hint, mode }, index) => (
        <p key={key} className="preset-field">
          <label htmlFor={`${id}-${key}`}>{label}</label>
          <input
            id={`${id}-${key}`}
            value={draft[key]}
            placeholder={hint}
            inputMode={mode}
            autoComplete="off"
            autoFocus={index === 0}
            maxLength={200}
            onChange={(event) => {
              setDraft({ ...draft, [key]: event.target.value });
              setProblem("");
            }}
          />
        </p>
      ))}
      {problem !== "" && (
        <p className="bad" role="alert">
          {problem}
        </p>
      )}
      <div className="button-row end">
        <button type="button" className="button small" onClick={props.onClose}>
          Cancel
        </button>
        <button type="submit" className="button small primary" disabled={!props.live}>
          Save the preset
        </button>
      </div>
    </form>
  );
}
