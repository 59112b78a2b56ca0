import { Dialog } from "../app/dialog.tsx";
import { fetched } from "../app/fetched.tsx";
import { conversationTitle } from "../view/conversation-title.ts";

export const ConversationDialog = fetched(
  async () => (await import("./conversation-dialog.tsx")).ConversationDialog,
  ({ root, onClose }) => (
    <Dialog title={`Rules and use of ${conversationTitle(root)}`} className="settings" onClose={onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  ),
);
