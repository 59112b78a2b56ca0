import { useState } from "react";
import type { FolderId } from "../../../src/core/base/ids.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";

/** Asks for the path of a folder on the server's machine, and adds it. */
export function AddFolder(props: { readonly onAdded: (folderId: FolderId) => void; readonly onClose: () => void }) {
  const { client } = useApp();
  const [path, setPath] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const add = async (): Promise<void> => {
    setBusy(true);
    const added = await client.call("folder.add", { path: path.trim() });
    setBusy(false);
    if (added.ok) props.onAdded(added.value.folderId);
    else setProblem(added.error.message);
  };
  return (
    <Dialog title="Add a folder" className="small-dialog" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== "") void add();
        }}
      >
        <label htmlFor="folder-path">Path on the machine that runs Heddle</label>
        <input
          id="folder-path"
          value={path}
          placeholder="/home/you/project"
          autoComplete="off"
          spellCheck={false}
          aria-describedby="folder-hint"
          onChange={(event) => setPath(event.target.value)}
        />
        <p className="quiet" id="folder-hint">
          Agents may then read and write its files and run commands there, each as the approvals allow. You can limit
          that in the settings.
        </p>
        {problem !== null && <p role="alert">{problem}</p>}
        <div className="button-row end">
          <button type="submit" className="button primary" disabled={busy || path.trim() === ""}>
            Add the folder
          </button>
        </div>
      </form>
    </Dialog>
  );
}
