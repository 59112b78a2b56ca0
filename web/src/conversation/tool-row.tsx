import { memo, useState } from "react";
import type { JsonObject } from "../../../src/core/base/json.ts";
import type { ToolMessage } from "../../../src/core/message/types.ts";
import { CopyButton } from "../app/copy-button.tsx";
import { Icon } from "../app/icons.tsx";
import { resultText, summariseTool } from "../view/tool-summary.ts";
import { PatchView } from "./patch-view.tsx";

/** One tool call on one line, with what went in and came out behind it. */
export const ToolRow = memo(function ToolRow(props: {
  readonly callId: string;
  readonly name: string;
  readonly parameters: JsonObject | null;
  /** The arguments as they stream in; null once they are whole. */
  readonly streaming: string | null;
  readonly argumentsError?: string | undefined;
  readonly result: ToolMessage | null;
  readonly running: boolean;
  readonly canvasTitle: string | null;
}) {
  const [open, setOpen] = useState(false);
  const summary = summariseTool(props);
  const patch = typeof props.parameters?.["patch"] === "string" ? props.parameters["patch"] : null;
  return (
    <div className="tool-row" data-call-id={props.callId} data-stage={summary.stage}>
      <button type="button" className="tool-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="tool-stage" aria-hidden="true" />
        <span className="tool-sentence">
          {summary.sentence}
          {summary.change !== null && (
            <>
              {summary.change.revisions !== "" && <span className="tool-revisions"> · {summary.change.revisions}</span>}{" "}
              <span className="added">+{summary.change.added}</span>{" "}
              <span className="removed">−{summary.change.removed}</span>
            </>
          )}
        </span>
        <span className="tool-name">{props.name}</span>
        <Icon name={open ? "chevron-down" : "chevron-right"} size={14} />
      </button>
      {summary.refusal !== null && (
        <p className="tool-refusal">
          <code>{summary.refusal.code}</code> {summary.refusal.message}
        </p>
      )}
      {props.argumentsError !== undefined && summary.refusal === null && (
        <p className="tool-refusal">{props.argumentsError}</p>
      )}
      {open && (
        <div className="tool-details">
          {patch !== null ? (
            <PatchView patch={patch} />
          ) : (
            <Detail title={`Arguments of ${props.name}`} text={argumentsText(props)} />
          )}
          {props.result !== null && <Detail title="Result" text={pretty(resultText(props.result))} />}
        </div>
      )}
    </div>
  );
});

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

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
