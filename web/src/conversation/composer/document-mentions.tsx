import { type RefObject, useEffect, useId, useRef, useState } from "react";
import type { NamedDocument } from "../../documents/named-document.ts";
import { useApp } from "../../ui/app-context.ts";
import { Icon } from "../../ui/icons.tsx";
import { useList } from "../../ui/list/use-list.ts";
import { useObservable } from "../../ui/use-observable.ts";
import type { Draft } from "../kept/draft.ts";
import { type OfferedResource, resourcesNamed, useServerOffers } from "./server-offers.ts";
import { type Mention, mentionAt, withoutMention } from "./mention-at.ts";

interface MentionsProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly draft: Draft;
  readonly onChoose: (document: Mentioned) => void;
}

/** A document of the workspace, or a resource of an MCP server. */
export type Mentioned = NamedDocument | OfferedResource;

/** How many canvases, and how many files, are offered. */
const offeredMax = 6;

/** Offers documents while `@` and letters are typed: a canvas to work on, or a file to attach. */
export function DocumentMentions(props: MentionsProps) {
  const { field } = props;
  const { text } = useObservable(props.draft);
  const [caret, setCaret] = useState<number | null>(null);
  // A name that was given up with Escape is not offered again until it changes.
  const [givenUp, setGivenUp] = useState<string | null>(null);
  useEffect(() => {
    const note = (): void => {
      const own = field.current;
      setCaret(own === null || document.activeElement !== own ? null : own.selectionStart);
    };
    document.addEventListener("selectionchange", note);
    note();
    return () => document.removeEventListener("selectionchange", note);
  }, [field, text]);
  const mention = caret === null ? null : mentionAt(text, caret);
  if (mention === null || text === givenUp) return null;
  return <MentionList {...props} text={text} mention={mention} onGiveUp={() => setGivenUp(text)} />;
}

function MentionList(
  props: MentionsProps & { readonly text: string; readonly mention: Mention; readonly onGiveUp: () => void },
) {
  const { field, draft, text, mention } = props;
  const documents = useOffered(mention.letters);
  const [at, setAt] = useState(0);
  const listId = useId();
  const index = Math.min(at, documents.length - 1);
  const choose = (chosen: Mentioned): void => {
    const rest = withoutMention(text, mention);
    draft.setText(rest.text);
    props.onChoose(chosen);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(rest.caret, rest.caret);
    });
  };
  const latest = useRef({ documents, index, choose, giveUp: props.onGiveUp });
  latest.current = { documents, index, choose, giveUp: props.onGiveUp };
  // The keys are the list's before they are the field's.
  useEffect(() => {
    const own = field.current;
    const onKeyDown = (event: KeyboardEvent): void => {
      const now = latest.current;
      const chosen = now.documents[now.index];
      if (event.isComposing || chosen === undefined) return;
      if (event.key === "ArrowDown") setAt((now.index + 1) % now.documents.length);
      else if (event.key === "ArrowUp") setAt((now.index + now.documents.length - 1) % now.documents.length);
      else if (event.key === "Enter" || event.key === "Tab") now.choose(chosen);
      else if (event.key === "Escape") now.giveUp();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    own?.addEventListener("keydown", onKeyDown);
    return () => own?.removeEventListener("keydown", onKeyDown);
  }, [field]);
  if (documents.length === 0) return null;
  return (
    <ul className="mention-list" role="listbox" id={listId} aria-label="Documents">
      {documents.map((document, place) => (
        <li
          key={keyOf(document)}
          role="option"
          aria-selected={place === index}
          onPointerDown={(event) => {
            event.preventDefault();
            choose(document);
          }}
        >
          <Icon name="document" size={14} />
          <span className="menu-label">{nameOf(document)}</span>
          <span className="menu-note">{document.type === "canvas" ? "work on it" : "attach it"}</span>
        </li>
      ))}
    </ul>
  );
}

function keyOf(document: Mentioned): string {
  if (document.type === "resource") return `${document.server} ${document.uri}`;
  return document.type === "canvas" ? document.id : document.path;
}

function nameOf(document: Mentioned): string {
  if (document.type === "resource") return `${document.server}:${document.name}`;
  return document.type === "canvas" ? document.title : document.path;
}

/** Returns canvases, files and resources of servers whose names contain the letters. */
function useOffered(letters: string): readonly Mentioned[] {
  const { client } = useApp();
  const canvases = useList({ of: "canvases", filter: letters, order: "updated", count: offeredMax });
  const [files, setFiles] = useState<readonly NamedDocument[]>([]);
  useEffect(() => {
    let stale = false;
    void client.call("file.list", letters === "" ? {} : { containing: letters }).then((listed) => {
      if (stale || !listed.ok) return;
      const { folderId } = listed.value;
      if (folderId === null) return setFiles([]);
      setFiles(listed.value.files.slice(0, offeredMax).map(({ path }) => ({ type: "file", folderId, path })));
    });
    return () => {
      stale = true;
    };
  }, [client, letters]);
  const shown = (canvases?.entries ?? []).map(({ id, title }): NamedDocument => ({ type: "canvas", id, title }));
  return [...shown, ...files, ...resourcesNamed(useServerOffers(), letters, offeredMax)];
}
