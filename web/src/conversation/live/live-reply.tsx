import { memo } from "react";
import type { LiveBlock } from "../../../../src/client/base/types.ts";
import { unreachable } from "../../../../src/core/base/assert.ts";
import { traitsOf } from "../../../../src/core/block/kinds.ts";
import { type Author, AuthorMark } from "../../ui/author.tsx";
import { LiveWords } from "./live-words.tsx";
import { Thinking } from "../steps/thinking.tsx";
import { ToolRow } from "../message/tool-row.tsx";

/** The reply being written, block by block. Not a live region: the state line announces it. */
export function LiveReply(props: {
  readonly actor: Author;
  readonly blocks: readonly LiveBlock[];
  readonly begins: boolean;
  readonly place: number;
  readonly canvasTitle: string | null;
}) {
  const { name } = props.actor;
  return (
    <article
      className={`message reply live ${props.begins ? "begins" : "continues"}`}
      data-role="assistant"
      data-live="true"
      tabIndex={-1}
      aria-busy="true"
      aria-posinset={props.place}
      aria-setsize={-1}
      aria-label={`${name}, writing`}
    >
      {props.begins && (
        <header className="message-head">
          <AuthorMark actor={props.actor} />
          <span className="message-author">{name}</span>
        </header>
      )}
      {props.blocks.map((block, index) => (
        <LiveBlockView
          key={block.header.id}
          block={block}
          last={index === props.blocks.length - 1}
          canvasTitle={props.canvasTitle}
        />
      ))}
      <span className="writing-mark" aria-hidden="true" />
    </article>
  );
}

const LiveBlockView = memo(function LiveBlockView(props: {
  readonly block: LiveBlock;
  readonly last: boolean;
  readonly canvasTitle: string | null;
}) {
  const { header, text } = props.block;
  const { tool_name: toolName, tool_syntax: syntax } = header.metadata;
  const { shownAs } = traitsOf(header.kind);
  switch (shownAs) {
    case "thinking":
      return <Thinking text={text} since={props.last && header.status !== "done" ? header.createdAt : null} />;
    case "tool-call":
      return (
        <ToolRow
          callId={header.id}
          name={typeof toolName === "string" ? toolName : "tool"}
          parameters={null}
          streaming={text}
          result={null}
          status={null}
          canvasTitle={props.canvasTitle}
          syntax={typeof syntax === "string" ? syntax : null}
        />
      );
    case "markdown":
      return <LiveWords blockId={header.id} text={text} />;
    case "output":
      return <pre className="live-result">{text}</pre>;
    default:
      return unreachable(shownAs);
  }
});
