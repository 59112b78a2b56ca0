import { Dialog } from "../ui/dialog.tsx";
import { fetched } from "../ui/fetched.tsx";

export const ShareDialog = fetched(
  async () => (await import("./share-dialog.tsx")).ShareDialog,
  ({ title, onClose }) => (
    <Dialog title={`Share ${title}`} className="settings" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
