import type { Source } from "../../../../src/core/message/citations.ts";
import { serverStepOf, stepWords } from "../../../../src/core/message/server-step.ts";
import type { OpaqueBlock } from "../../../../src/core/message/types.ts";
import { Icon } from "../../ui/icons.tsx";

/** What a provider's own tool did, folded: the search, the code or the page, with its sources and its output. */
export function ServerStepRow({ block }: { readonly block: OpaqueBlock }) {
  const step = serverStepOf(block);
  if (step === null) return <p className="thin-line">Provider-specific content from {block.api}, kept unchanged</p>;
  const { asked, output, sources } = step;
  const isCode = step.kind === "code" && asked !== "";
  if (!isCode && output === "" && sources.length === 0) return <p className="thin-line">{stepWords(step)}</p>;
  return (
    <details className="thinking server-step">
      <summary>
        {stepWords(step)}
        <Icon name="chevron-right" size={13} />
      </summary>
      {isCode && <pre>{asked}</pre>}
      {output !== "" && <pre>{output}</pre>}
      <SourceList sources={sources} />
    </details>
  );
}

/** The sources of a text or a step as numbered links; nothing for none. */
export function SourceList({ sources }: { readonly sources: readonly Source[] }) {
  if (sources.length === 0) return null;
  return (
    <ol className="sources" aria-label="Sources">
      {sources.map(({ url, title }) => (
        <li key={url}>
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
            {title}
          </a>
        </li>
      ))}
    </ol>
  );
}
