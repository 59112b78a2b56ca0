import { useCallback, useState } from "react";
import { searchWordsUnitsMax } from "../../../src/core/protocol/base/limits.ts";
import type { Commands } from "../navigation/use-commands.ts";
import { HelpDialog } from "../palette/help-dialog.tsx";
import { findEverything } from "../palette/find-everything.ts";
import { Palette } from "../palette/palette.tsx";
import { paletteItems } from "../palette/palette-items.ts";
import { SettingsDialog } from "../settings/lazy-settings-dialog.tsx";
import { CanvasDialog } from "../shell/canvas-dialog.tsx";
import { ToolCallsDialog } from "../syntax/lazy-tool-calls-dialog.tsx";
import { TrashDialog } from "../trash/lazy-trash-dialog.tsx";
import { useApp } from "../ui/app-context.ts";
import { useList } from "../ui/list/use-list.ts";
import { askForWords } from "../ui/place-request.ts";
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

/** How many conversations, and how many canvases, the palette names. */
const namedMax = 30;

function OpenPalette(
  props: DialogProps & { readonly finds: "palette" | "search" | "open"; readonly onClose: () => void },
) {
  const { client } = useApp();
  const { workspace, shown, moves, files, commands, presets } = props;
  const [words, setWords] = useState("");
  const filter = words.trim().slice(0, searchWordsUnitsMax);
  const conversations = useList({ of: "conversations", archived: false, order: "updated", filter, count: namedMax });
  // A word may be a tag as well as a part of a title.
  const tag = /^[^\s#]{2,}$/u.test(filter) ? `#${filter}` : filter;
  const tagged = useList({ of: "conversations", archived: false, order: "updated", filter: tag, count: namedMax });
  const canvases = useList({ of: "canvases", filter, count: namedMax });
  return (
    <Palette
      query={words}
      onQuery={setWords}
      items={paletteItems({
        conversations: [
          ...new Map(
            [...(conversations?.entries ?? []), ...(tagged?.entries ?? [])].map((each) => [each.id, each]),
          ).values(),
        ],
        canvases: canvases?.entries ?? [],
        models: workspace.models,
        commands,
        presets,
        files: files.listing?.files ?? [],
        onFile: moves.openFile,
        onRoot: (rootId) => moves.goToNode(rootId, null),
        onCanvas: moves.openCanvas,
        onModel: shown.conversation.setModel,
      })}
      finds={props.finds}
      onSearch={(wanted, kind) =>
        findEverything(
          client,
          { words: wanted, kind },
          {
            node: moves.goToNode,
            canvas(canvasId, excerpt) {
              moves.openCanvas(canvasId);
              askForWords(excerpt, wanted);
            },
            file(path, excerpt) {
              moves.openFile(path);
              askForWords(excerpt, wanted);
            },
            comment(canvasId, path) {
              if (path === null) moves.openCanvas(canvasId);
              else moves.openFile(path);
            },
          },
        )
      }
      onClose={props.onClose}
    />
  );
}
