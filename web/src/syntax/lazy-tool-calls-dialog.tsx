import { Dialog } from "../ui/dialog.tsx";
import { fetched } from "../ui/fetched.tsx";

// Fetched on first use, because it includes the grammars of all syntaxes.
export const ToolCallsDialog = fetched(
  async () => (await import("./tool-calls-dialog.tsx")).ToolCallsDialog,
  ({ onClose }) => (
    <Dialog title="Tool calls" className="tool-calls" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
