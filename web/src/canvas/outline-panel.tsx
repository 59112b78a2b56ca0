import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import { Icon } from "../ui/icons.tsx";
import { withoutMarks } from "../view/words/words.ts";
import type { CanvasEditor } from "../editor/editor.ts";
import { outlineRows, rowOfLine } from "./outline-rows.ts";

/** Delay after the last edit before the headings are read again. Milliseconds. */
const restMs = 250;
/** Maximum number of headings shown. */
const rowsShown = 2_000;

/** The headings of the canvas: arrow keys move, Enter opens, Escape returns to the text. */
export function OutlinePanel(props: {
  readonly replica: TextReplica;
  readonly title: string;
  readonly editor: CanvasEditor | null;
  /** Whether choosing a heading closes the panel, as on a narrow page. */
  readonly closesOnChoice: boolean;
  readonly onClose: () => void;
}) {
  const { replica, editor } = props;
  const [rows, setRows] = useState(() => outlineRows(replica.text()));
  const [line, setLine] = useState(() => editor?.caretLine() ?? 1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = replica.onChange(() => {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(() => setRows(outlineRows(replica.text())), restMs);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [replica]);
  useEffect(() => editor?.onPlace(setLine), [editor]);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>("[aria-current]");
    (current ?? list.current?.querySelector<HTMLElement>("button"))?.focus();
  }, []);
  const current = rowOfLine(rows, line);

  const close = (): void => {
    props.onClose();
    editor?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (to === undefined) return;
    else buttons[Math.max(0, Math.min(buttons.length - 1, to))]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <nav className="outline-panel" aria-label={`Outline of ${props.title}`} onKeyDown={onKeyDown}>
      <header>
        <h2>Outline</h2>
        <button type="button" className="icon-button" aria-label="Close the outline" onClick={close}>
          <Icon name="close" size={14} />
        </button>
      </header>
      {rows.length === 0 ? (
        <p className="quiet">No headings yet. A line that begins with # is one.</p>
      ) : (
        <ul ref={list}>
          {rows.slice(0, rowsShown).map((row, index) => (
            <li key={`${row.line} ${row.title}`}>
              <button
                type="button"
                style={{ paddingInlineStart: 8 + (row.depth - 1) * 14 }}
                data-depth={row.depth}
                aria-current={index === current ? "location" : undefined}
                title={`Line ${row.line}`}
                onClick={() => {
                  editor?.showLine(row.line);
                  if (props.closesOnChoice) close();
                }}
              >
                {withoutMarks(row.title)}
              </button>
            </li>
          ))}
        </ul>
      )}
      {rows.length > rowsShown && <p className="quiet">{rows.length - rowsShown} more headings</p>}
    </nav>
  );
}
