import type { Actor } from "../../../src/core/base/actor.ts";
import { initials } from "../view/words/author-hue.ts";
import { useApp } from "./app-context.ts";

/** The fields of an actor that identify an author. */
export type Author = Pick<Actor, "type" | "id" | "name">;

/** A small disc for a person, a lozenge for an agent: form and letters tell them apart, colour only helps. */
export function AuthorMark({ actor, size = 20 }: { readonly actor: Author; readonly size?: number }) {
  const { hues } = useApp();
  return (
    <span
      className={`author-mark ${actor.type}`}
      data-hue={hues.hueOf(actor.id)}
      style={{ inlineSize: size, blockSize: size, fontSize: Math.round(size * 0.46) }}
      aria-hidden="true"
    >
      <span>{initials(actor.name)}</span>
    </span>
  );
}
