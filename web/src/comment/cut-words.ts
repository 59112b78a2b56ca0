import { type Extension, Prec } from "@codemirror/state";
import { EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { OpSpan } from "../../../src/core/text/types.ts";

/** What the clipboard carries beside words that were cut, so that their comments can go with them. */
interface CutWords {
  readonly blockId: BlockId;
  readonly text: string;
  readonly units: readonly OpSpan[];
}

/** Words that were cut and are pasted here. */
export interface MovedWords {
  readonly from: { readonly blockId: BlockId; readonly units: readonly OpSpan[] };
  readonly units: readonly OpSpan[];
}

interface CutPorts {
  readonly blockId: BlockId;
  /** Returns the units of a stretch of the editor's text. */
  readonly unitsOf: (from: number, to: number) => readonly OpSpan[];
  readonly moved: (words: MovedWords) => void;
}

const cutType = "application/x-heddle-cut";
/** More runs of units than this are not followed. */
const runsMax = 4_096;

/** Says which words were cut and pasted, letter for letter. A copy moves nothing. */
export function cutWords(ports: CutPorts): Extension {
  let cut: CutWords | null = null;
  let coming: CutWords | null = null;
  const carry = (event: ClipboardEvent): void => {
    // The editor has put the words there; where it has not, the browser will, and takes nothing beside them.
    if (cut !== null && event.defaultPrevented) event.clipboardData?.setData(cutType, JSON.stringify(cut));
    cut = null;
  };
  const landed = ({ docChanged, transactions, changes }: ViewUpdate): void => {
    if (coming === null || !docChanged || !transactions.some((each) => each.isUserEvent("input.paste"))) return;
    const { blockId, text, units } = coming;
    coming = null;
    const places: { readonly from: number; readonly to: number; readonly words: string }[] = [];
    changes.iterChanges((_from, _to, from, to, words) => places.push({ from, to, words: words.toString() }));
    const [place, second] = places;
    if (place?.words !== text || second !== undefined) return;
    const pasted = ports.unitsOf(place.from, place.to);
    if (pasted.length > 0 && pasted.length <= runsMax) ports.moved({ from: { blockId, units }, units: pasted });
  };
  return [
    Prec.highest(
      EditorView.domEventHandlers({
        cut(_event, view) {
          cut = cutFrom(view, ports);
          return false;
        },
        paste(event) {
          coming = readCut(event.clipboardData?.getData(cutType) ?? "");
          return false;
        },
      }),
    ),
    // The editor clears the clipboard before it puts its words there, so this comes after it.
    ViewPlugin.define(({ dom }) => {
      dom.addEventListener("cut", carry);
      return { destroy: () => dom.removeEventListener("cut", carry) };
    }),
    EditorView.updateListener.of(landed),
  ];
}

function cutFrom({ state }: EditorView, { blockId, unitsOf }: CutPorts): CutWords | null {
  const { main, ranges } = state.selection;
  if (state.readOnly || ranges.length > 1) return null;
  // Without a selection the caret's line is cut.
  const line = state.doc.lineAt(main.head);
  const { from, to } = main.empty ? { from: line.from, to: Math.min(state.doc.length, line.to + 1) } : main;
  const units = unitsOf(from, to);
  return units.length === 0 || units.length > runsMax ? null : { blockId, text: state.sliceDoc(from, to), units };
}

/** Reads what the clipboard has; null for anything else than words that were cut here. The server checks the units. */
function readCut(json: string): CutWords | null {
  if (json === "") return null;
  try {
    const cut: Partial<CutWords> = JSON.parse(json);
    const { blockId, text, units } = cut;
    return typeof blockId === "string" && typeof text === "string" && Array.isArray(units)
      ? { blockId, text, units }
      : null;
  } catch {
    return null;
  }
}
