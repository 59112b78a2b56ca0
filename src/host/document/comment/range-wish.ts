import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { carryRange } from "../../../core/block/comment/map-range.ts";
import { findNamedRange, type NamedRange } from "../../../core/block/comment/named-range.ts";
import { anchorRange, type RangeAnchor } from "../../../core/block/comment/range-anchor.ts";
import { diffChanges } from "../../../core/block/change/diff-changes.ts";
import type { OpSpan, TextDocument } from "../../../core/text/types.ts";

/** The range that a comment is to be about. */
export type RangeWish =
  | { readonly type: "document" }
  /** Units of the text, as a page sees them: they are the same wherever others have written meanwhile. */
  | { readonly type: "units"; readonly spans: readonly OpSpan[] }
  /** Lines or words of the text as it is, or as it was when the asker saw it. */
  | { readonly type: "named"; readonly named: NamedRange; readonly seen?: string };

/** Makes the anchor of a wished range; null for the whole document. */
export function anchorOf(document: TextDocument, wish: RangeWish): Result<RangeAnchor | null, Refusal> {
  switch (wish.type) {
    case "document":
      return ok(null);
    case "units": {
      const [range] = document.locate([wish.spans]);
      // What a person pointed at was deleted while their request was on its way.
      return range === null || range === undefined
        ? err(refusal("CONFLICT", {}, "The words were deleted before the comment arrived. Select the text again."))
        : ok(anchorRange(document, range));
    }
    case "named": {
      const text = document.text();
      const base = wish.seen ?? text;
      const found = findNamedRange(base, wish.named);
      if (!found.ok) return found;
      if (found.value === null) return ok(null);
      const now = base === text ? found.value : carryRange(diffChanges(base, text), found.value);
      return now === null
        ? err(refusal("CONTENT_MISMATCH", {}, "These words were deleted since you read them. Read the document again."))
        : ok(anchorRange(document, now));
    }
  }
}
