import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icons.tsx";
import { matching, type PaletteItem } from "./palette-match.ts";

/** How many finds are shown; typing another letter narrows the rest. */
const shownMax = 60;

/** Finds conversations, canvases and commands by what they are called. */
export function Palette(props: { readonly items: readonly PaletteItem[]; readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const found = useMemo(() => matching(props.items, query).slice(0, shownMax), [props.items, query]);
  useEffect(() => setAt(0), [query]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, found]);

  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    props.onClose();
    // After the dialog has given the focus back.
    setTimeout(item.run, 0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt((at + 1) % Math.max(1, found.length));
    else if (event.key === "ArrowUp") setAt((at - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search or run" className="palette" bare onClose={props.onClose}>
      <div className="palette-field">
        <Icon name="search" size={18} />
        <input
          role="combobox"
          aria-label="Search or run"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
          placeholder="Search or run…"
          value={query}
          autoFocus
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul className="palette-list" id={listId} role="listbox" aria-label="Found" ref={list}>
        {found.map((item, index) => (
          <li
            key={item.key}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={() => run(item)}
          >
            <Icon name={item.icon} size={16} />
            <span className="palette-label">{item.label}</span>
            <span className="palette-group">{item.group}</span>
            {item.keys !== null && <kbd>{item.keys}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="nothing">Nothing is called that.</p>}
    </Dialog>
  );
}
