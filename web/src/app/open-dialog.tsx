import { useCallback } from "react";
import { ActivityDialog } from "../settings/team/lazy-activity-dialog.tsx";
import { SettingsDialog } from "../settings/lazy-settings-dialog.tsx";
import { ToolCallsDialog } from "../syntax/lazy-tool-calls-dialog.tsx";
import { TrashDialog } from "../trash/lazy-trash-dialog.tsx";
import { CanvasDialog, HelpDialog, OpenPalette } from "./lazy-dialogs.tsx";
import type { DialogProps } from "./dialog-props.ts";

/** The open dialog of the page, if any. */
export function OpenDialog(props: DialogProps) {
  const { workspace, shown, navigation, dispatch, moves, presets, live } = props;
  const onClose = useCallback(() => dispatch({ type: "dialog-closed" }), [dispatch]);
  const onToolCalls = useCallback(() => dispatch({ type: "dialog-opened", dialog: "tool-calls" }), [dispatch]);
  const onActivity = useCallback(() => dispatch({ type: "dialog-opened", dialog: "activity" }), [dispatch]);
  const { dialog } = navigation;
  switch (dialog) {
    case "none":
      return null;
    case "palette":
    case "search":
    case "open":
      return <OpenPalette {...props} finds={dialog} onClose={onClose} />;
    case "help":
      return <HelpDialog onClose={onClose} />;
    case "settings":
    case "keys":
      return (
        <SettingsDialog
          atKeys={dialog === "keys"}
          name={props.name}
          live={live}
          presets={presets}
          onToolCalls={onToolCalls}
          onActivity={onActivity}
          onClose={onClose}
        />
      );
    case "tool-calls":
      return (
        <ToolCallsDialog
          root={shown.root}
          model={workspace.models.find(({ id }) => id === shown.root?.model) ?? null}
          live={live}
          onClose={onClose}
        />
      );
    case "activity":
      return (
        <ActivityDialog
          opens={{ onConversation: moves.openConversation, onDocument: moves.openCanvas }}
          onClose={onClose}
        />
      );
    case "trash":
      return <TrashDialog onClose={onClose} />;
    case "canvas":
      return <CanvasDialog onMake={moves.createCanvas} onClose={onClose} />;
  }
}
