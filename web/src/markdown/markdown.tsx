import { Fragment, memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { unreachable } from "../../../src/core/base/assert.ts";
import { type CodePart, highlighted } from "../code/highlight.ts";
import { type Diagram as DiagramPicture, drawDiagram, isDark } from "../drawing/diagrams.ts";
import { drawFormula } from "../drawing/formula.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Picture } from "./picture.tsx";
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
  const parts = useParts(text, language);
  const [drawn, setDrawn] = useState(true);
  const isDiagram = language.toLowerCase() === "mermaid";
  if (isDiagram && drawn) return <Diagram source={text} onSource={() => setDrawn(false)} />;
  return (
    <figure className="code">
      <figcaption>
        <span>{language === "" ? "text" : language}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      {/* Wide code scrolls by itself, so it must be focusable for the keyboard. */}
      <pre tabIndex={0} aria-label={`Code${language === "" ? "" : ` in ${language}`}`} role="region">
        <code>{parts === null ? text : coloured(text, parts)}</code>
      </pre>
    </figure>
  );
}

/** How long a text must rest before it is highlighted or drawn: while it streams, it is plain. Milliseconds. */
const restMs = 200;

function useParts(text: string, language: string): readonly CodePart[] | null {
  const [found, setFound] = useState<{ readonly text: string; readonly parts: readonly CodePart[] | null } | null>(
    null,
  );
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      void highlighted(text, language).then((parts) => {
        if (!gone) setFound({ text, parts });
      });
    }, restMs);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [text, language]);
  return found?.text === text ? found.parts : null;
}

function coloured(text: string, parts: readonly CodePart[]): ReactNode {
  const shown: ReactNode[] = [];
  let at = 0;
  for (const { from, to, className } of parts) {
    if (from > at) shown.push(text.slice(at, from));
    shown.push(
      <span key={from} className={className}>
        {text.slice(from, to)}
      </span>,
    );
    at = to;
  }
  shown.push(text.slice(at));
  return shown;
}

/** A diagram as a picture; its source until it is drawn, and with the reason where it cannot be. */
function Diagram({ source, onSource }: { readonly source: string; readonly onSource: () => void }) {
  const [found, setFound] = useState<{ readonly source: string; readonly diagram: DiagramPicture } | null>(null);
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      void drawDiagram(source, isDark()).then((diagram) => {
        if (!gone) setFound({ source, diagram });
      });
    }, restMs);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [source]);
  const diagram = found?.source === source ? found.diagram : null;
  if (diagram?.type === "picture") {
    return (
      <figure className="diagram">
        <img src={diagram.url} alt={diagram.words} />
        <figcaption>
          <button type="button" className="quiet-button" onClick={onSource}>
            Show its source
          </button>
          <CopyButton text={source} label="Copy the diagram’s source" />
        </figcaption>
      </figure>
    );
  }
  return (
    <figure className="code" aria-busy={diagram === null}>
      <figcaption>
        <span>
          {diagram === null ? "mermaid" : `This diagram cannot be drawn. ${diagram.reason.split("\n")[0] ?? ""}`}
        </span>
        <CopyButton text={source} label="Copy code" />
      </figcaption>
      <pre tabIndex={0} aria-label="Code in mermaid" role="region">
        <code>{source}</code>
      </pre>
    </figure>
  );
}

/** A formula as MathML; its source until it is drawn, and where it cannot be. */
function Formula({ source, display }: { readonly source: string; readonly display: boolean }) {
  const host = useRef<HTMLSpanElement>(null);
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => {
    const { current } = host;
    if (current === null) return;
    setFailed(null);
    if (!current.hasChildNodes()) current.append(source);
    void drawFormula(current, source, display).then((reason) => {
      if (reason !== null) current.replaceChildren(source);
      setFailed(reason);
    });
  }, [source, display]);
  const className = `formula${display ? " display" : ""}${failed === null ? "" : " failed"}`;
  // The words inside are Temml's elements; React renders none of them again.
  return (
    <span
      className={className}
      title={failed ?? undefined}
      {...(display ? { tabIndex: 0, role: "group", "aria-label": "Formula" } : {})}
    >
      <span ref={host} />
    </span>
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
      return <Formula source={inline.text} display={inline.display} />;
    case "picture":
      return <Picture address={inline.address} caption={inline.caption} width={inline.width} />;
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
