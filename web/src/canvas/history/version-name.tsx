import { useId, useState, type SyntheticEvent } from "react";
import type { BlockId } from "../../../../src/core/base/ids.ts";
import { titleUnitsMax } from "../../../../src/core/protocol/base/limits.ts";
import { useApp } from "../../ui/app-context.ts";
import type { HistoryEntry } from "../../view/branches/revisions.ts";

interface VersionNameProps {
  readonly canvasId: BlockId;
  readonly entry: HistoryEntry;
  readonly onNamed: (revisionId: string) => void;
}

/** Names a version of a canvas; the text as it is now becomes a version by it. */
export function VersionName({ canvasId, entry, onNamed }: VersionNameProps) {
  const { client, tell, announce } = useApp();
  const [name, setName] = useState<string | null>(null);
  const fieldId = useId();
  const { revisionId, label } = entry;
  const give = (given: string): void => {
    void client.call("canvas.name-version", { canvasId, revisionId, name: given }).then((result) => {
      if (!result.ok) return tell(result.error);
      setName(null);
      announce(given === "" ? `${entry.name} has no name any more.` : `${entry.name} is called “${given}”.`);
      onNamed(result.value.revisionId);
    });
  };
  if (name === null) {
    return (
      <button type="button" className="quiet-button" onClick={() => setName(label ?? "")}>
        {label === null ? "Name this version" : "Rename this version"}
      </button>
    );
  }
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (name.trim() !== "") give(name.trim());
  };
  return (
    <form className="version-name" onSubmit={submit}>
      <label htmlFor={fieldId}>Name</label>
      <input
        id={fieldId}
        type="text"
        value={name}
        maxLength={titleUnitsMax}
        autoFocus
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // The dialog stays.
          event.preventDefault();
          event.stopPropagation();
          setName(null);
        }}
      />
      <button type="submit" className="button" disabled={name.trim() === ""}>
        Save the name
      </button>
      {label !== null && (
        <button type="button" className="quiet-button" onClick={() => give("")}>
          Remove the name
        </button>
      )}
      <button type="button" className="quiet-button" onClick={() => setName(null)}>
        Cancel
      </button>
    </form>
  );
}
