import { Fragment, memo, type ReactNode, useMemo, useRef } from "react";
import { unreachable } from "../../../src/core/base/assert.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { type MarkdownBlock, type MarkdownInline, targetOf } from "./model.ts";
import { type BlockGroup, type ReadMarkdown, readMarkdown } from "./read-markdown.ts";

/** Shows Markdown. A growing text is parsed and rendered only at its end. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const before = useRef<ReadMarkdown | undefined>(undefined);
  const read = useMemo(() => readMarkdown(text, before.current), [text]);
  before.current = read;
  return (
    <div className="markdown">
      {read.groups.map((group, index) => (
        <Group key={index} blocks={group} />
      ))}
    </div>
  );
});

const Group = memo(function Group({ blocks: group }: { readonly blocks: BlockGroup }): ReactNode {
  // Blocks are only added at the end, so the index is a stable key.
  return group.map((block, index) => <Block key={`${index}-${block.type}`} block={block} />);
});

const Block = memo(function Block({ block }: { readonly block: MarkdownBlock }): ReactNode {
  switch (block.type) {
    case "heading":
      return <Heading level={block.level}>{inlines(block.children)}</Heading>;
    case "paragraph":
      return <p>{inlines(block.children)}</p>;
    case "code":
      return <Code language={block.language} text={block.text} />;
    case "quote":
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index} className={item.ticked === null ? undefined : "task"}>
          {item.ticked !== null && (
            <input type="checkbox" checked={item.ticked} readOnly disabled aria-label={item.ticked ? "done" : "open"} />
          )}
          <div>{blocks(item.blocks)}</div>
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <Table block={block} />;
    case "footnote":
      return (
        <p className="footnote">
          <sup>{block.name}</sup> {inlines(block.children)}
        </p>
      );
    case "rule":
      return <hr />;
    case "literal":
      return <p className="literal">{block.text}</p>;
    default:
      return unreachable(block);
  }
});

// The page uses heading levels 1 and 2; a reply's headings begin below them.
function Heading({ level, children }: { readonly level: number; readonly children: ReactNode }) {
  const Tag = (["h3", "h4", "h5", "h6"] as const)[Math.min(level, 4) - 1] ?? "h6";
  return <Tag className={`level-${level}`}>{children}</Tag>;
}

function Code({ language, text }: { readonly language: string; readonly text: string }) {
  return (
    <figure className="code">
      <figcaption>
        <span>{language === "" ? "text" : language}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      {/* Wide code scrolls by itself, so it must be focusable for the keyboard. */}
      <pre tabIndex={0} aria-label={`Code${language === "" ? "" : ` in ${language}`}`} role="region">
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function Table({ block }: { readonly block: Extract<MarkdownBlock, { type: "table" }> }) {
  const align = (column: number): string | undefined => {
    const alignment = block.alignments[column] ?? null;
    return alignment === null ? undefined : `align-${alignment}`;
  };
  return (
    <div className="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {block.head.map((cell, column) => (
              <th key={column} scope="col" className={align(column)}>
                {inlines(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className={align(column)}>
                  {inlines(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function blocks(list: readonly MarkdownBlock[]): ReactNode {
  return list.map((block, index) => <Block key={index} block={block} />);
}

function inlines(list: readonly MarkdownInline[]): ReactNode {
  return list.map((inline, index) => <Fragment key={index}>{showInline(inline)}</Fragment>);
}

function showInline(inline: MarkdownInline): ReactNode {
  switch (inline.type) {
    case "text":
      return inline.text;
    case "emphasis":
      return <em>{inlines(inline.children)}</em>;
    case "strong":
      return <strong>{inlines(inline.children)}</strong>;
    case "strike":
      return <del>{inlines(inline.children)}</del>;
    case "code":
      return <code>{inline.text}</code>;
    case "link":
      return (
        <Link href={inline.href} words={wordsIn(inline.children)}>
          {inlines(inline.children)}
        </Link>
      );
    case "image": {
      const words = inline.alt === "" ? "picture" : `picture: ${inline.alt}`;
      return inline.href === null ? (
        <span className="picture">[{words}]</span>
      ) : (
        <Link href={inline.href} words="">
          [{words}]
        </Link>
      );
    }
    case "math":
      return <code className={inline.display ? "math display" : "math"}>{inline.text}</code>;
    case "footnote":
      return <sup aria-label={`Footnote ${inline.name}`}>{inline.name}</sup>;
    case "break":
      return <br />;
    default:
      return unreachable(inline);
  }
}

/** A link that always shows its target, in its text or beside it. */
function Link({
  href,
  children,
  words,
}: {
  readonly href: string;
  readonly children: ReactNode;
  readonly words: string;
}) {
  const target = targetOf(href);
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
      {!words.includes(target) && <span className="link-target"> ({target})</span>}
    </>
  );
}

function wordsIn(list: readonly MarkdownInline[]): string {
  return list
    .map((inline) => ("children" in inline ? wordsIn(inline.children) : "text" in inline ? inline.text : ""))
    .join("");
}
