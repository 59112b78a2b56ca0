import { Dialog } from "../ui/dialog.tsx";
import { fetched } from "../ui/fetched.tsx";

// The grammars of all syntaxes come with it.
export const ToolCallsDialog = fetched(
  async () => (await import("./tool-calls-dialog.tsx")).ToolCallsDialog,
  ({ onClose }) => (
    <Dialog title="Tool calls" className="tool-calls" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
