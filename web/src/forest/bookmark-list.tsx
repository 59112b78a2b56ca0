import type { Bookmark } from "../../../src/core/forest/types.ts";
import { Icon } from "../ui/icons.tsx";

/** The bookmarks of the open conversation. */
export function BookmarkList(props: {
  readonly bookmarks: readonly Bookmark[];
  readonly onGo: (bookmark: Bookmark) => void;
}) {
  if (props.bookmarks.length === 0) return null;
  return (
    <section className="canvas-list" aria-label="Bookmarks">
      <header>
        <h3>Bookmarks</h3>
      </header>
      <ul>
        {props.bookmarks.map((bookmark) => (
          <li key={bookmark.title}>
            <button type="button" onClick={() => props.onGo(bookmark)}>
              <Icon name="bookmark" size={15} />
              <span>{bookmark.title}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
