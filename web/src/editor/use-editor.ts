import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import { loadCode } from "../browser/load-code.ts";
import { useApp } from "../ui/app-context.ts";
import type { Settings } from "../browser/settings.ts";
import type { CanvasEditor, EditorPorts } from "./editor.ts";

/** The page's handlers for the editor. */
export type EditorActions = Pick<
  EditorPorts,
  | "undo"
  | "redo"
  | "escape"
  | "blocked"
  | "elsewhere"
  | "explain"
  | "pressed"
  | "review"
  | "commented"
  | "moved"
  | "selected"
>;

export interface EditorWish {
  readonly title: string;
  readonly markdown: boolean;
  readonly path: string | null;
  readonly pictures: EditorPorts["pictures"];
  readonly keeper: EditorPorts["keeper"];
  readonly authors: Settings["authors"];
}

/** Returns the editor once its code is loaded. A new title, setting or action does not create a new editor. */
export function useEditor(
  host: RefObject<HTMLDivElement | null>,
  replica: TextReplica,
  look: EditorWish,
  actions: EditorActions,
): CanvasEditor | null {
  const { client, hues, tell } = useApp();
  const [editor, setEditor] = useState<CanvasEditor | null>(null);
  const latest = useRef({ look, actions });
  latest.current = { look, actions };
  useEffect(() => {
    let ended = false;
    let made: CanvasEditor | null = null;
    const missing = (): void =>
      tell("The editor could not be loaded. Your text is safe. Reload the page when the server is reachable.");
    loadCode(() => import("./editor.ts")).then(({ CanvasEditor }) => {
      if (ended || host.current === null) return;
      const { title, authors, markdown, path, pictures } = latest.current.look;
      const ports: EditorPorts = {
        replica,
        hues,
        title,
        markdown,
        path,
        pictures,
        keeper: { keep: (file) => latest.current.look.keeper.keep(file) },
        selfId: () => client.actor.get()?.id ?? null,
        undo: () => latest.current.actions.undo(),
        redo: () => latest.current.actions.redo(),
        escape: () => latest.current.actions.escape(),
        blocked: () => latest.current.actions.blocked(),
        elsewhere: (elsewhere) => latest.current.actions.elsewhere(elsewhere),
        explain: (authors, near) => latest.current.actions.explain(authors, near),
        pressed: (authors, line) => latest.current.actions.pressed(authors, line),
        review: (act) => latest.current.actions.review(act),
        commented: (id) => latest.current.actions.commented(id),
        moved: (words) => latest.current.actions.moved(words),
        selected: (selection) => latest.current.actions.selected(selection),
      };
      made = new CanvasEditor(host.current, ports, authors);
      setEditor(made);
    }, missing);
    return () => {
      ended = true;
      made?.destroy();
      setEditor(null);
    };
  }, [replica, hues, client, host, tell]);
  useFocusPassedOn(host);
  return editor;
}

/** Passes the focus of an editor that goes away to its pane: whoever types there would else type into the page. */
function useFocusPassedOn(host: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const own = host.current;
    return () => {
      if (own?.contains(document.activeElement) === true) own.closest<HTMLElement>("[data-pane]")?.focus();
    };
  }, [host]);
}
