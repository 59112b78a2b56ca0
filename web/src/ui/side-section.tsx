import { type ReactNode, useState } from "react";
import { oneOf, Stored } from "../browser/stored.ts";
import { useMedia } from "./use-observable.ts";
import { Icon } from "./icons.tsx";

/** A part of the side pane that can be folded. Sections share the height; one with little in it leaves its share to others. */
export function SideSection(props: {
  /** Under which this browser remembers whether it is folded. */
  readonly name: string;
  readonly title: string;
  /** Height of everything in it, in pixels. */
  readonly contentHeight: number;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const [stored] = useState(() => new Stored(`section.${props.name}`, oneOf("open", "folded"), "open"));
  // Equal to the style sheet's.
  const headHeight = useMedia("(pointer: coarse)") ? 44 : 36;
  const [open, setOpen] = useState(() => stored.get() === "open");
  return (
    <section
      className="side-section"
      aria-label={props.title}
      data-open={open}
      style={{ maxBlockSize: open ? Math.max(120, props.contentHeight + headHeight) : headHeight }}
    >
      <header>
        <h3>
          <button
            type="button"
            className="side-title"
            aria-expanded={open}
            onClick={() => {
              setOpen(!open);
              stored.set(open ? "folded" : "open");
            }}
          >
            <Icon name={open ? "chevron-down" : "chevron-right"} size={13} />
            {props.title}
          </button>
        </h3>
        <span className="spacer" />
        {open && props.actions}
      </header>
      {open && props.children}
    </section>
  );
}
