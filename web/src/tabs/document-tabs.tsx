import "./tabs.css";
import { type DragEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { ContextMenu, type MenuPoint } from "../ui/menu/context-menu.tsx";
import { askForTab, closeTab } from "../ui/request/tab-request.ts";
import { useObservable } from "../ui/use-observable.ts";
import { changeTabs, openTabs } from "./open-tabs.ts";
import { isNamedTwice, type Tab } from "./tabs.ts";

const tabDragType = "application/x-heddle-tab";

/** The open documents as a strip of tabs, from two documents on. */
export function DocumentTabs() {
  const { tabs, activeId, previewId } = useObservable(openTabs);
  const strip = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<{ readonly tab: Tab; readonly at: MenuPoint } | null>(null);
  const drag = useDrag();
  const keys = useTabKeys(strip, tabs);
  const isShown = tabs.length > 1;
  useEffect(() => {
    if (isShown && activeId !== null)
      elementOf(strip.current, activeId)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [activeId, isShown]);
  if (!isShown) return null;
  const entered = tabs.some(({ id }) => id === activeId) ? activeId : tabs[0]?.id;
  return (
    <>
      <div className="document-tabs" ref={strip} role="tablist" aria-label="Open documents" {...drag.onStrip}>
        {tabs.map((tab, index) => (
          <DocumentTab
            key={tab.id}
            tab={tab}
            note={isNamedTwice(tabs, tab) ? tab.folder : ""}
            active={tab.id === activeId}
            entered={tab.id === entered}
            preview={tab.id === previewId}
            drop={
              drag.place === index ? "before" : drag.place === tabs.length && index === tabs.length - 1 ? "after" : null
            }
            onDragStart={(event) => drag.onStart(event, tab)}
            onClose={() => keys.close(tab, index)}
            onMenu={(at) => setMenu({ tab, at })}
            onKeyDown={(event) => keys.onKeyDown(event, tab, index)}
          />
        ))}
      </div>
      {menu !== null && (
        <ContextMenu
          label={menu.tab.title}
          at={menu.at}
          items={menuOf(menu.tab, previewId)}
          onClose={() => setMenu(null)}
        />
      )}
    </>
  );
}

/** Keys on the strip: arrows move the focus, and with Control the tab; Enter opens, Delete closes. */
function useTabKeys(strip: RefObject<HTMLDivElement | null>, tabs: readonly Tab[]) {
  const { announce } = useApp();
  const focusAt = (index: number): void => {
    const now = openTabs.get().tabs;
    const tab = now[(index + now.length) % now.length];
    if (tab !== undefined) elementOf(strip.current, tab.id)?.focus();
  };
  const close = (tab: Tab, index: number): void => {
    const hadFocus = strip.current?.contains(document.activeElement) === true;
    closeTab(tab.id);
    announce(`${tab.title} is closed.`);
    if (hadFocus) requestAnimationFrame(() => focusAt(Math.min(index, openTabs.get().tabs.length - 1)));
  };
  const onKeyDown = (event: KeyboardEvent, tab: Tab, index: number): void => {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const move = (to: number) => () => changeTabs({ type: "moved", id: tab.id, to });
    const open = (): void => void askForTab({ type: "open", id: tab.id });
    const acts: Readonly<Record<string, () => void>> = event.ctrlKey
      ? { ArrowLeft: move(index - 1), ArrowRight: move(index + 1) }
      : {
          ArrowLeft: () => focusAt(index - 1),
          ArrowRight: () => focusAt(index + 1),
          Home: () => focusAt(0),
          End: () => focusAt(tabs.length - 1),
          Enter: open,
          " ": open,
          Delete: () => close(tab, index),
        };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return { close, onKeyDown };
}

function DocumentTab(props: {
  readonly tab: Tab;
  /** Tells it from another of the same name. */
  readonly note: string;
  readonly active: boolean;
  /** Whether Tab comes to this one. */
  readonly entered: boolean;
  readonly preview: boolean;
  /** The side on which a dragged tab would be put. */
  readonly drop: "before" | "after" | null;
  readonly onDragStart: (event: DragEvent) => void;
  readonly onClose: () => void;
  readonly onMenu: (at: MenuPoint) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { tab, note, active, preview, onClose, onMenu } = props;
  return (
    <div
      role="tab"
      className="document-tab"
      aria-selected={active}
      tabIndex={props.entered ? 0 : -1}
      data-tab={tab.id}
      data-preview={preview}
      data-drop={props.drop ?? undefined}
      title={hintOf(tab, preview)}
      draggable
      onDragStart={props.onDragStart}
      onClick={() => askForTab({ type: "open", id: tab.id })}
      onDoubleClick={() => changeTabs({ type: "kept", id: tab.id })}
      onMouseDown={(event) => {
        // The middle button would begin to scroll.
        if (event.button === 1) event.preventDefault();
      }}
      onAuxClick={(event) => {
        if (event.button === 1) onClose();
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu({ x: event.clientX, y: event.clientY });
      }}
      onKeyDown={props.onKeyDown}
    >
      <span className="document-tab-name">{tab.title}</span>
      {note !== "" && <span className="document-tab-folder">{note}</span>}
      {tab.unread && <UnreadMark />}
      <span
        className="document-tab-close"
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          onClose();
        }}
      >
        <Icon name="close" size={12} />
      </span>
    </div>
  );
}

/** The mark of a document that an agent changed meanwhile. */
export function UnreadMark() {
  return (
    <span className="unread-dot">
      <span className="visually-hidden">, changed by an agent</span>
    </span>
  );
}

function hintOf(tab: Tab, isPreview: boolean): string {
  const path = tab.folder === "" ? tab.title : `${tab.folder.replace(/\/$/u, "")}/${tab.title}`;
  const changed = tab.unread ? " · an agent changed it" : "";
  return `${path}${changed}${isPreview ? " · the next document takes its place; double-click to keep it open" : ""}`;
}

function menuOf(tab: Tab, previewId: Tab["id"] | null) {
  const move = (by: 1 | -1) => () => {
    const at = openTabs.get().tabs.findIndex(({ id }) => id === tab.id);
    changeTabs({ type: "moved", id: tab.id, to: at + by });
  };
  return [
    ...(tab.id === previewId
      ? [{ label: "Keep open", run: () => changeTabs({ type: "kept" as const, id: tab.id }) }]
      : []),
    { label: "Close", run: () => void askForTab({ type: "close", id: tab.id }) },
    {
      label: "Close the others",
      run: () => {
        for (const { id } of openTabs.get().tabs) if (id !== tab.id) askForTab({ type: "close", id });
      },
    },
    { label: "Move to the left", run: move(-1) },
    { label: "Move to the right", run: move(1) },
  ];
}

function elementOf(strip: HTMLElement | null, id: string): HTMLElement | null {
  return strip?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(id)}"]`) ?? null;
}

/** Dragging a tab along the strip. */
function useDrag() {
  const [place, setPlace] = useState<number | null>(null);
  const dragged = useRef<Tab | null>(null);
  /** The place before the tab whose middle is right of the pointer. */
  const placeOf = (event: DragEvent<HTMLElement>): number => {
    const elements = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-tab]")];
    const before = elements.findIndex((element) => {
      const box = element.getBoundingClientRect();
      return event.clientX < box.left + box.width / 2;
    });
    return before === -1 ? elements.length : before;
  };
  const isOurs = (event: DragEvent): boolean =>
    dragged.current !== null && event.dataTransfer.types.includes(tabDragType);
  return {
    place,
    onStart(event: DragEvent, tab: Tab) {
      dragged.current = tab;
      event.dataTransfer.setData(tabDragType, tab.id);
      event.dataTransfer.effectAllowed = "move";
    },
    onStrip: {
      onDragOver(event: DragEvent<HTMLElement>) {
        if (!isOurs(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        setPlace(placeOf(event));
      },
      onDragLeave: () => setPlace(null),
      onDragEnd: () => {
        dragged.current = null;
        setPlace(null);
      },
      onDrop(event: DragEvent<HTMLElement>) {
        const tab = dragged.current;
        if (tab === null || !isOurs(event)) return;
        event.preventDefault();
        const to = placeOf(event);
        const from = openTabs.get().tabs.findIndex(({ id }) => id === tab.id);
        changeTabs({ type: "moved", id: tab.id, to: to > from ? to - 1 : to });
        setPlace(null);
      },
    },
  };
}
