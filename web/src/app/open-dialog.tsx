import { useCallback } from "react";
import type { Commands } from "../navigation/use-commands.ts";
import { HelpDialog } from "../palette/help-dialog.tsx";
import { searchMessages } from "../palette/message-search.ts";
import { Palette } from "../palette/palette.tsx";
import { paletteItems } from "../palette/palette-items.ts";
import { SettingsDialog } from "../settings/lazy-settings-dialog.tsx";
import { CanvasDialog } from "../shell/canvas-dialog.tsx";
import { ToolCallsDialog } from "../syntax/lazy-tool-calls-dialog.tsx";
import { TrashDialog } from "../trash/lazy-trash-dialog.tsx";
import { useApp } from "../ui/app-context.ts";
import type { PageProps } from "./page-panes.tsx";

type DialogProps = PageProps & {
  readonly commands: Commands;
  /** The person's name. */
  readonly name: string;
  /** Whether the page is connected. */
  readonly live: boolean;
};

/** The open dialog of the page, if any. */
export function OpenDialog(props: DialogProps) {
  const { workspace, shown, navigation, dispatch, moves, presets, live } = props;
  const onClose = useCallback(() => dispatch({ type: "dialog-closed" }), [dispatch]);
  const onToolCalls = useCallback(() => dispatch({ type: "dialog-opened", dialog: "tool-calls" }), [dispatch]);
  const { dialog } = navigation;
  switch (dialog) {
    case "none":
      return null;
    case "palette":
    case "search":
      return <OpenPalette {...props} searching={dialog === "search"} onClose={onClose} />;
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
    case "trash":
      return <TrashDialog onClose={onClose} />;
    case "canvas":
      return <CanvasDialog onMake={moves.createCanvas} onClose={onClose} />;
  }
}

function OpenPalette(props: DialogProps & { readonly searching: boolean; readonly onClose: () => void }) {
  const { client } = useApp();
  const { workspace, shown, moves, files, commands, presets } = props;
  return (
    <Palette
      items={paletteItems({
        workspace,
        commands,
        presets,
        files: files.listing?.files ?? [],
        onFile: moves.openFile,
        onRoot: (rootId) => moves.goToNode(rootId, null),
        onCanvas: moves.openCanvas,
        onModel: shown.conversation.setModel,
      })}
      searching={props.searching}
      onSearch={(words) => searchMessages(client, words, { roots: workspace.roots, onNode: moves.goToNode })}
      onClose={props.onClose}
    />
  );
}
