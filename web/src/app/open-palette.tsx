import { useState } from "react";
import { searchWordsUnitsMax } from "../../../src/core/protocol/base/limits.ts";
import { findEverything } from "../palette/find-everything.ts";
import { Palette } from "../palette/palette.tsx";
import { paletteItems } from "../palette/palette-items.ts";
import { useApp } from "../ui/app-context.ts";
import { useList } from "../ui/list/use-list.ts";
import { offeredItems } from "../ui/menu/offered.ts";
import { askForWords } from "../ui/request/place-request.ts";
import { askForThread } from "../ui/request/thread-request.ts";
import type { DialogProps } from "./dialog-props.ts";

/** How many conversations, and how many canvases, the palette names. */
const namedMax = 30;

/** The palette with everything that it finds. */
export function OpenPalette(
  props: DialogProps & { readonly finds: "palette" | "search" | "open"; readonly onClose: () => void },
) {
  const { client } = useApp();
  const { workspace, shown, moves, files, commands, presets } = props;
  const [words, setWords] = useState("");
  // As it was opened: the menus act on what is shown then.
  const [offered] = useState(offeredItems);
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
        offered,
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
            comment(canvasId, path, threadId) {
              if (path === null) moves.openCanvas(canvasId);
              else moves.openFile(path);
              if (threadId !== null) askForThread(threadId);
            },
          },
        )
      }
      onClose={props.onClose}
    />
  );
}
