import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";

/** The tags of a conversation, typed in one field. */
export function TagsDialog(props: {
  readonly title: string;
  readonly tags: readonly string[];
  readonly onTags: (tags: readonly string[]) => void;
  /** Shows the conversations with a tag. */
  readonly onFilter: (tag: string) => void;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState(props.tags.join(", "));
  return (
    <Dialog title={`Tags of “${props.title}”`} className="small-dialog" onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onTags(tagsIn(typed));
          props.onClose();
        }}
      >
        <label className="field">
          <span>Tags, separated by commas</span>
          <input
            value={typed}
            maxLength={1_000}
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <p className="quiet">Only people see tags. Type # and a tag in the filter to see everything with that tag.</p>
        {props.tags.length > 0 && (
          <p className="tag-row">
            {props.tags.map((tag) => (
              <button
                key={tag}
                type="button"
                className="button small"
                onClick={() => {
                  props.onFilter(tag);
                  props.onClose();
                }}
              >
                Show #{tag}
              </button>
            ))}
          </p>
        )}
        <div className="button-row end">
          <button type="submit" className="button primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the tags in what was typed. A tag has no blank in it, so that the filter can name it. */
function tagsIn(typed: string): readonly string[] {
  const tags = typed.split(",").map((tag) => tag.trim().replace(/^#/u, "").replaceAll(/\s+/gu, "-").slice(0, 100));
  return [...new Set(tags.filter((tag) => tag !== ""))].slice(0, 50);
}
