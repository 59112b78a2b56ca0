import { useId } from "react";
import type { Result } from "../../../src/core/base/result.ts";
import type { Syntax } from "../../../src/core/syntax/base/syntax.ts";
import { dialectRows } from "../../../src/core/syntax/grammars/dialects.ts";

/** The lab's choice of a dialect that is being written. */
export const ownDialect = "(own)";

/** Returns the data of a dialect as a file would hold it; of Hermes for a syntax that is no such data. */
export function dialectText(id: string): string {
  const row = dialectRows.find((each) => each.id === id) ?? dialectRows.find((each) => each.id === "hermes");
  return JSON.stringify({ ...row, id: "my-dialect", title: "My dialect", sources: [] }, null, 2);
}

/** The data of a dialect, and whether it is one; read again with every change. */
export function OwnDialect(props: {
  readonly data: string;
  readonly onData: (data: string) => void;
  readonly read: Result<Syntax, string>;
}) {
  const id = useId();
  const { read } = props;
  return (
    <>
      <label htmlFor={id}>The dialect as data</label>
      <textarea
        id={id}
        rows={14}
        spellCheck={false}
        value={props.data}
        aria-invalid={!read.ok}
        onChange={(event) => props.onData(event.target.value)}
      />
      <p role="status">
        {read.ok
          ? `The data is complete. To use it, save it as syntaxes/${read.value.id}.json in the data folder and restart the server.`
          : `Not complete: ${read.error}.`}
      </p>
    </>
  );
}
