import { useState } from "react";
import { titleUnitsMax } from "../../../src/core/protocol/base/limits.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useIsAway } from "../ui/use-is-away.ts";
import { useSending } from "../ui/use-sending.ts";

/** Asks for the title of a new canvas; `onMake` resolves to whether it was created. */
export function CanvasDialog(props: {
  readonly onMake: (title: string) => Promise<boolean>;
  readonly onClose: () => void;
}) {
  const [title, setTitle] = useState("");
  const { sending, send } = useSending(props.onClose);
  const isAway = useIsAway();
  return (
    <Dialog title="New canvas" className="small-dialog" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== "") void send(() => props.onMake(title.trim()));
        }}
      >
        <label htmlFor="canvas-title">Title</label>
        <input
          id="canvas-title"
          value={title}
          maxLength={titleUnitsMax}
          autoComplete="off"
          onChange={(event) => setTitle(event.target.value)}
        />
        <p className="quiet" role="status">
          {sending && isAway
            ? "Heddle is offline. The canvas is made when the server answers; you can close this meanwhile."
            : "The open conversation works on the canvas beside it."}
        </p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={sending || title.trim() === ""}>
            Make the canvas
          </button>
        </div>
      </form>
    </Dialog>
  );
}
