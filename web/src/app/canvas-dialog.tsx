import { useState } from "react";
import { titleUnitsMax } from "../../../src/core/protocol/limits.ts";
import { Dialog } from "./dialog.tsx";

/** Asks what a new canvas is called. */
export function CanvasDialog(props: { readonly onMake: (title: string) => void; readonly onClose: () => void }) {
  const [title, setTitle] = useState("");
  return (
    <Dialog title="New canvas" className="small-dialog" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() === "") return;
          props.onMake(title.trim());
          props.onClose();
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
        <p className="quiet">The open conversation works on the canvas that stands beside it.</p>
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={title.trim() === ""}>
            Make the canvas
          </button>
        </div>
      </form>
    </Dialog>
  );
}
