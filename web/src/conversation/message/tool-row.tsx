import { memo, useState } from "react";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import type { ToolMessage } from "../../../../src/core/message/types.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { askForReview } from "../../review/review-request.ts";
import type { CallStatus } from "../../view/calls/call-status.ts";
import { knownSoFar, ParametersSoFar, shownParameters, type ShownParameter } from "../../view/calls/call-parameters.ts";
import { patchText } from "../../view/calls/patch-text.ts";
import { resultParts } from "../../view/calls/result-parts.ts";
import { resultText, summariseTool } from "../../view/calls/tool-summary.ts";
import { CallView } from "./call-view.tsx";
import { DiffView } from "../../diff/lazy-diff-view.tsx";
import { ShowPlace } from "../../diff/show-place.tsx";

/** One tool call on one line; opens to its arguments and result. */
export const ToolRow = memo(function ToolRow(props: {
  readonly callId: string;
  readonly name: string;
  readonly parameters: JsonObject | null;
  /** The arguments while they stream; null once complete. */
  readonly streaming: string | null;
  readonly argumentsError?: string | undefined;
  readonly result: ToolMessage | null;
  /** Status of a call without a result; null while it is being written. */
  readonly status: CallStatus | null;
  readonly canvasTitle: string | null;
  /** The syntax of a call in the reply's text; null for a native call. */
  readonly syntax: string | null;
}) {
  const [open, setOpen] = useState(false);
  const [soFar] = useState(() => new ParametersSoFar());
  const { streaming } = props;
  const shown = streaming === null ? shownParameters(props.parameters ?? {}) : soFar.read(streaming);
  const summary = summariseTool(streaming === null ? props : { ...props, parameters: knownSoFar(shown) });
  const patch = shown.find(({ name }) => name === "patch")?.text ?? patchText(props.parameters ?? {});
  return (
    <div className="tool-row" data-call-id={props.callId} data-stage={summary.stage}>
      <button type="button" className="tool-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="tool-stage" aria-hidden="true" />
        <span className="tool-sentence">
          {summary.sentence}
          {summary.change !== null && (
            <>
              {" · "}
              <span className="added">+{summary.change.added}</span>{" "}
              <span className="removed">−{summary.change.removed}</span>
            </>
          )}
        </span>
        {props.syntax !== null && (
          <span className="tool-syntax" title="The reply called this tool in its text, in this syntax">
            {props.syntax}
          </span>
        )}
        <span className="tool-name">{props.name}</span>
        <Icon name={open ? "chevron-down" : "chevron-right"} size={14} />
      </button>
      {summary.refusal !== null && (
        <p className="tool-refusal">
          <code>{summary.refusal.code}</code> {summary.refusal.message}
        </p>
      )}
      {summary.suggested !== null && (
        <p className="tool-suggested">
          {summary.suggested === "too-late"
            ? "This edit came too late and is kept as a suggestion. "
            : "This is a suggestion. The text changes only when someone keeps it. "}
          <button type="button" className="link-button" onClick={askForReview}>
            Review it in the canvas
          </button>
        </p>
      )}
      {props.argumentsError !== undefined && summary.refusal === null && (
        <p className="tool-refusal">{props.argumentsError}</p>
      )}
      {open && (
        <div className="tool-details">
          {patch !== null ? (
            <>
              <DiffView diff={patch} label="Patch" />
              {summary.stage === "ok" && summary.suggested === null && <ShowPlace patch={patch} />}
            </>
          ) : (
            <Arguments name={props.name} shown={shown} text={argumentsText(props)} />
          )}
          {props.result !== null &&
            resultParts(resultText(props.result)).map((part, at) => <Detail key={at} {...part} />)}
          {props.result !== null && (
            <CallView name={props.name} parameters={props.parameters ?? noParameters} result={props.result} />
          )}
        </div>
      )}
    </div>
  );
});

const noParameters: JsonObject = {};

/** The arguments of a call, streaming or complete. */
function Arguments(props: { readonly name: string; readonly shown: readonly ShownParameter[]; readonly text: string }) {
  const title = `Arguments of ${props.name}`;
  if (props.shown.length === 0) return <Detail title={title} text={props.text === "{}" ? "" : props.text} />;
  return (
    <section className="tool-detail">
      <header>
        <span>{title}</span>
        <CopyButton text={props.text} label={`Copy ${title.toLowerCase()}`} />
      </header>
      <div className="parameters" tabIndex={0} role="region" aria-label={title}>
        <dl className="call-parameters">
          {props.shown.map(({ name, text, whole }) => (
            <div key={name} data-whole={whole}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

function Detail({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <section className="tool-detail">
      <header>
        <span>{title}</span>
        <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />
      </header>
      <pre tabIndex={0} role="region" aria-label={title}>
        {text === "" ? "(empty)" : text}
      </pre>
    </section>
  );
}

function argumentsText(props: { readonly parameters: JsonObject | null; readonly streaming: string | null }): string {
  return props.streaming ?? JSON.stringify(props.parameters ?? {}, null, 2);
}
