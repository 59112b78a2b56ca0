import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { useIsAway } from "../ui/use-is-away.ts";
import { type FindKind, kindWords } from "./find-everything.ts";
import { MarkedText } from "./marked-text.tsx";
import { matching, type PaletteItem } from "./palette-match.ts";

/** Maximum number of results shown. */
const shownMax = 60;
/** Delay after the last key before a search. Milliseconds. */
const searchAfterMs = 150;

const titles = { palette: "Search or run", search: "Search everything", open: "Open by name" } as const;
/** What is opened by its name. */
const namedGroups: ReadonlySet<string> = new Set(["Canvas", "File", "Conversation"]);

/** Finds conversations, canvases, commands and settings by name, and messages, documents and comments by their words. */
export function Palette(props: {
  /** The words in the field. */
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly items: readonly PaletteItem[];
  /** Everything, what holds the words alone, or only what can be opened by its name. */
  readonly finds: "palette" | "search" | "open";
  readonly onSearch: (words: string, kind: FindKind | null) => Promise<readonly PaletteItem[]>;
  readonly onClose: () => void;
}) {
  const { query, onQuery } = props;
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const { finds } = props;
  const [kind, setKind] = useState<FindKind | null>(null);
  const messages = useFinds(finds === "open" ? "" : query, kind, props.onSearch);
  const found = useMemo(() => {
    const findable = finds === "open" ? props.items.filter(({ group }) => namedGroups.has(group)) : props.items;
    const named = finds === "search" ? [] : matching(findable, query);
    return [...named.slice(0, messages.length === 0 ? shownMax : namedBesideMessages), ...messages].slice(0, shownMax);
  }, [props.items, query, messages, finds]);
  useEffect(() => setAt(0), [query, kind]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, found]);

  const title = titles[finds];
  const isAway = useIsAway();

  const run = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    props.onClose();
    // Runs after the dialog has restored the focus.
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
    <Dialog title={title} className="palette" bare onClose={props.onClose}>
      <div className="palette-field">
        <Icon name="search" size={18} />
        <input
          role="combobox"
          aria-label={title}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${at}`}
          placeholder={`${title}…`}
          value={query}
          autoFocus
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {finds === "search" && <Kinds kind={kind} onKind={setKind} />}
      <ul className="palette-list" id={listId} role="listbox" aria-label="Found" ref={list}>
        {found.map((item, index) => (
          <Find
            key={item.key}
            id={`${listId}-${index}`}
            item={item}
            query={query}
            selected={index === at}
            onPoint={() => setAt(index)}
            onRun={() => run(item)}
          />
        ))}
      </ul>
      {found.length === 0 && (
        <p className="nothing">{nothingFound({ searching: finds === "search", isAway, query })}</p>
      )}
    </Dialog>
  );
}

function Find(props: {
  readonly id: string;
  readonly item: PaletteItem;
  readonly query: string;
  readonly selected: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}) {
  const { item } = props;
  return (
    <li id={props.id} role="option" aria-selected={props.selected} onPointerMove={props.onPoint} onClick={props.onRun}>
      <Icon name={item.icon} size={16} />
      <span className="palette-label" title={item.label}>
        <MarkedText text={item.label} query={props.query} />
      </span>
      <span className="palette-group" data-group={item.group}>
        {item.group}
      </span>
      {item.keys !== null && <kbd>{item.keys}</kbd>}
    </li>
  );
}

/** Chooses which kind of finds is listed. */
function Kinds({ kind, onKind }: { readonly kind: FindKind | null; readonly onKind: (kind: FindKind | null) => void }) {
  const choices: readonly (readonly [FindKind | null, string])[] = [
    [null, "All"],
    ...(Object.entries(kindWords) as [FindKind, string][]),
  ];
  return (
    <div className="palette-kinds" role="group" aria-label="Kinds">
      {choices.map(([value, words]) => (
        <button
          key={words}
          type="button"
          className="button small"
          aria-pressed={kind === value}
          onClick={() => onKind(value)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** Words for an empty list: without the server nothing is known to be missing. */
function nothingFound(state: {
  readonly searching: boolean;
  readonly isAway: boolean;
  readonly query: string;
}): string {
  const { searching, isAway, query } = state;
  if (isAway && query.trim() !== "") return "Heddle is offline. The search goes on when the server answers.";
  if (!searching) return "No name and no text matches these words.";
  return query.trim() === "" ? "Type words from a message, a document or a comment." : "Nothing contains these words.";
}

/** Number of commands and names shown before found messages. */
const namedBesideMessages = 8;

/** Returns what has the field's words; the previous result until the new one arrives. */
function useFinds(
  query: string,
  kind: FindKind | null,
  search: (words: string, kind: FindKind | null) => Promise<readonly PaletteItem[]>,
): readonly PaletteItem[] {
  const [finds, setFinds] = useState<readonly PaletteItem[]>([]);
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => {
    let over = false;
    const timer = setTimeout(() => {
      void latest.current(query, kind).then((found) => {
        if (!over) setFinds(found);
      });
    }, searchAfterMs);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [query, kind]);
  return finds;
}
