import { Dialog } from "../ui/dialog.tsx";
import { fetched } from "../ui/fetched.tsx";
import { conversationTitle } from "../../../src/core/forest/list.ts";

export const ConversationDialog = fetched(
  async () => (await import("./conversation-dialog.tsx")).ConversationDialog,
  ({ root, onClose }) => (
    <Dialog title={`Permissions and usage: ${conversationTitle(root)}`} className="settings" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
