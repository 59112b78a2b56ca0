import { Dialog } from "../ui/dialog.tsx";
import { fetched } from "../ui/fetched.tsx";

export const SettingsDialog = fetched(
  async () => (await import("./settings-dialog.tsx")).SettingsDialog,
  ({ onClose }) => (
    <Dialog title="Settings" className="settings" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
