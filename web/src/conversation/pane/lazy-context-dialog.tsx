import { Dialog } from "../../ui/dialog.tsx";
import { fetched } from "../../ui/fetched.tsx";

export const ContextDialog = fetched(
  async () => (await import("./context-dialog.tsx")).ContextDialog,
  ({ onClose }) => (
    <Dialog title="What the model sees next" className="settings context-dialog" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
