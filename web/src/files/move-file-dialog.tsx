import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { useSending } from "../ui/use-sending.ts";

/** Asks for the new path of a file. */
export function MoveFileDialog(props: {
  readonly path: string;
  readonly onMove: (to: string) => Promise<boolean>;
  readonly onClose: () => void;
}) {
  const [to, setTo] = useState(props.path);
  const { sending, send } = useSending(props.onClose);
  const wanted = to.trim();
  return (
    <Dialog title="Rename or move" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== "" && wanted !== props.path) void send(() => props.onMove(wanted));
        }}
      >
        <label className="field">
          <span>Path in the folder</span>
          <input value={to} maxLength={4_096} spellCheck={false} onChange={(event) => setTo(event.target.value)} />
        </label>
        <p className="quiet">The file moves on disk too. Folders that do not exist are made; nothing is overwritten.</p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={sending || wanted === "" || wanted === props.path}>
            Move
          </button>
        </div>
      </form>
    </Dialog>
  );
}
