import { Dialog } from "../../ui/dialog.tsx";
import { fetched } from "../../ui/fetched.tsx";

export const ActivityDialog = fetched(
  async () => (await import("./activity-dialog.tsx")).ActivityDialog,
  ({ onClose }) => (
    <Dialog title="Activity" className="settings" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
