import { type ReactNode, useRef } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { EditPolicy } from "../../../src/core/block/types.ts";
import { Icon } from "../ui/icons.tsx";
import { lockWords } from "../ui/lock/lock-note.tsx";
import { useLocks } from "../ui/lock/use-locks.ts";
import { Menu } from "../ui/menu/menu.tsx";
import type { MenuItem } from "../ui/menu/menu-items.tsx";
import { usePacedObservable } from "../ui/use-observable.ts";
import { Segmented } from "../ui/segmented.tsx";
import { isMac, keyTable, shownKeys } from "../browser/keys.ts";
import { countWords } from "../comment/comment-words.ts";
import type { Comments } from "../comment/use-comments.ts";
import { changeSetting, type Settings, useSettings } from "../browser/settings.ts";
import { useElementWidth } from "../ui/size/use-element-width.ts";
import { FileMark } from "../files/file-state.tsx";
import type { OpenFile } from "../files/use-files.ts";
import { policyChoices, policyWords } from "./policy-words.ts";

/** Minimum width that shows all policies; below it, a button shows the current one and opens the others. CSS pixels. */
const roomyFrom = 500;

/** The bar above a canvas or a file. */
export function CanvasHead(props: {
  readonly picker: ReactNode;
  readonly replica: TextReplica;
  /** Whether agents may work on it, under a policy. */
  readonly isShared: boolean;
  readonly policy: EditPolicy;
  /** What the person can do who cannot edit; null: they can. */
  readonly reads: string | null;
  readonly onPolicy: (policy: EditPolicy) => void;
  readonly outline: boolean;
  /** null when the text has no headings. */
  readonly onOutline: (() => void) | null;
  readonly comments: Comments;
  readonly file: OpenFile | null;
  readonly onFileState: () => void;
  /** What can be done with the whole document. */
  readonly menu: ReactNode;
}) {
  const { replica, file, policy } = props;
  const ref = useRef<HTMLElement>(null);
  const roomy = useElementWidth(ref) >= roomyFrom;
  return (
    <header className="pane-head" ref={ref}>
      {props.picker}
      {(roomy || file === null) && <Revision replica={replica} />}
      {file !== null && <FileMark replica={replica} onChange={props.onFileState} />}
      <div className="head-tools">
        {props.isShared && <PolicyChoice policy={policy} roomy={roomy} reads={props.reads} onPolicy={props.onPolicy} />}
        {props.onOutline !== null && (
          <button
            type="button"
            className="icon-button"
            aria-label="Outline"
            aria-expanded={props.outline}
            title="Outline: the headings of this text"
            onClick={props.onOutline}
          >
            <Icon name="outline" />
          </button>
        )}
        <CommentsButton comments={props.comments} />
        <AuthorsMenu />
        {props.menu}
      </div>
    </header>
  );
}

/** How often the number of the revision is drawn while somebody types. Milliseconds. */
const revisionEveryMs = 250;

/** The number of the text's revision: alone and paced, so that a key draws nothing but its text. */
function Revision({ replica }: { readonly replica: TextReplica }) {
  const version = usePacedObservable(replica.header, revisionEveryMs)?.version ?? 0;
  const unconfirmed = usePacedObservable(replica.unconfirmed, revisionEveryMs);
  return (
    <span
      className="revision"
      title={`Revision ${version}${unconfirmed > 0 ? `, ${unconfirmed} edits on their way` : ""}`}
    >
      r{version}
      {unconfirmed > 0 && <span className="unconfirmed" aria-hidden="true" />}
    </span>
  );
}

function CommentsButton({ comments }: { readonly comments: Comments }) {
  const words = countWords(comments.open);
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={`Comments: ${words.toLowerCase()}`}
      aria-expanded={comments.listed}
      title={`${words} (${shownKeys(keyTable.comments.keys, isMac())})`}
      onClick={() => comments.show(!comments.listed)}
    >
      <Icon name="comment" />
      {comments.open > 0 && (
        <span className="comments-count" aria-hidden="true">
          {comments.open}
        </span>
      )}
    </button>
  );
}

/** The edit policy: all choices when there is room, otherwise a menu that shows the current one. */
function PolicyChoice(props: {
  readonly policy: EditPolicy;
  readonly roomy: boolean;
  readonly reads: string | null;
  readonly onPolicy: (policy: EditPolicy) => void;
}) {
  const { policy, onPolicy } = props;
  const lockedBy = useLocks().get("edit-policy");
  const label = "Who may type while an agent works";
  const locked = props.reads ?? (lockedBy === undefined ? undefined : lockWords(lockedBy));
  if (props.roomy) {
    return <Segmented label={label} value={policy} options={policyChoices} onChange={onPolicy} disabledBy={locked} />;
  }
  return (
    <Menu
      label={`${label}: ${policyWords[policy].label}`}
      title={locked ?? policyWords[policy].title}
      className="quiet-button policy-button"
      align="end"
      face={
        <>
          {policyWords[policy].label} <Icon name="chevron-down" size={14} />
        </>
      }
      items={policyChoices.map(({ value, label, title }) => ({
        label: `${label}: ${title}`,
        checked: value === policy,
        disabled: locked !== undefined,
        ...(locked === undefined || value !== policy ? {} : { note: locked }),
        run: () => onPolicy(value),
      }))}
    />
  );
}

const authorChoices: readonly { readonly value: Settings["authors"]; readonly label: string }[] = [
  { value: "hidden", label: "Hide authors in the text" },
  { value: "subtle", label: "Mark agents and others" },
  { value: "full", label: "Mark every author" },
];

function AuthorsMenu() {
  const { authors, blame, view } = useSettings();
  const items: readonly MenuItem[] = [
    {
      label: view === "live" ? "Show the Markdown source" : "Show Markdown as it reads",
      note: shownKeys(keyTable["toggle-view"].keys, isMac()),
      run: () => changeSetting("view", view === "live" ? "source" : "live"),
    },
    ...authorChoices.map(({ value, label }) => ({
      label,
      checked: value === authors,
      run: () => changeSetting("authors", value),
    })),
    {
      label: blame === "on" ? "Hide who wrote each line" : "Show who wrote each line",
      note: "beside the text",
      run: () => changeSetting("blame", blame === "on" ? "off" : "on"),
    },
  ];
  return (
    <Menu
      label={`Author marks: ${authors}`}
      title="Who wrote what"
      className="icon-button"
      align="end"
      face={<Icon name="people" />}
      items={items}
    />
  );
}
