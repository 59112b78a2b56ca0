import { useState } from "react";
import { fetched } from "../../ui/fetched.tsx";
import { useApp } from "../../ui/app-context.ts";
import { Icon } from "../../ui/icons.tsx";
import type { MenuItem } from "../../ui/menu/menu-items.tsx";
import { Menu } from "../../ui/menu/menu.tsx";
import { useOffered } from "../../ui/menu/offered.ts";
import { uploadedPictures } from "../../markdown/picture.tsx";
import type { SavedConversation } from "./conversation-export.ts";

const ReadingDialog = fetched(async () => (await import("../../export/reading-dialog.tsx")).ReadingDialog);

/** A longer branch is saved and not drawn at once. Characters. */
const readUnitsMax = 1_000_000;

/** What can be done with a whole conversation: read, copy and save it. */
export function ConversationMenu(props: {
  /** null while it has no message. */
  readonly conversation: SavedConversation | null;
  readonly onContext: () => void;
  readonly onPermissions: () => void;
}) {
  const { conversation } = props;
  const { text: read, close, acts } = useConversationActs(conversation);
  const empty = conversation === null;
  const items: readonly MenuItem[] = [
    {
      label: "Read, print or save as PDF…",
      words: "export preview paper",
      disabled: empty,
      run: acts.read,
    },
    { label: "Copy this branch as Markdown", words: "clipboard", disabled: empty, run: acts.copy },
    {
      label: "Save this branch as Markdown",
      words: "export download",
      disabled: empty,
      run: acts.saveBranch,
    },
    {
      label: "Save all branches as JSON",
      note: "for heddle import",
      words: "export download backup",
      disabled: empty,
      run: acts.saveWhole,
    },
  ];
  useOffered("Conversation", [
    ...items,
    { label: "What the model sees next…", words: "context prompt window tokens", run: props.onContext },
    {
      label: "Permissions and usage of this conversation…",
      words: "approvals rules tokens cost money budget spending system prompt",
      run: props.onPermissions,
    },
  ]);
  return (
    <>
      <Menu
        label="This conversation: read, copy, export"
        title="Read, copy, export"
        className="icon-button"
        align="end"
        face={<Icon name="more" size={14} />}
        items={items}
      />
      {read !== null && conversation !== null && (
        <ReadingDialog title={conversation.title} text={read} pictures={uploadedPictures} onClose={close} />
      )}
    </>
  );
}

/** Reads, copies and saves a conversation; `text` is the branch that is read now. */
function useConversationActs(conversation: SavedConversation | null) {
  const { tell } = useApp();
  const [read, setRead] = useState<string | null>(null);
  const withText = async (use: (text: string) => Promise<void> | void): Promise<void> => {
    if (conversation === null) return;
    const { branchText } = await import("./conversation-export.ts");
    const text = await branchText(conversation);
    if (text.ok) await use(text.value);
    else tell(text.error);
  };
  const show = (text: string): void => {
    if (text.length <= readUnitsMax) setRead(text);
    else tell("This branch is too long to be drawn at once. Save it as Markdown and print that file.");
  };
  const copy = (text: string): Promise<void> =>
    navigator.clipboard.writeText(text).then(
      () => tell("The branch is copied as Markdown."),
      () => tell("The browser did not allow copying. Save the branch as Markdown instead."),
    );
  const save = async (what: "branch" | "whole"): Promise<void> => {
    if (conversation === null) return;
    const { saveConversation } = await import("./conversation-export.ts");
    const saved = await saveConversation(conversation, what);
    if (!saved.ok) tell(saved.error);
  };
  return {
    text: read,
    close: () => setRead(null),
    acts: {
      read: () => void withText(show),
      copy: () => void withText(copy),
      saveBranch: () => void save("branch"),
      saveWhole: () => void save("whole"),
    },
  };
}
