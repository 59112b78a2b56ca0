import { useId } from "react";

/** A labelled field of a form in the settings. */
export function TextField(props: {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: "text" | "url" | "password";
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly isFirst?: boolean;
  /** Lines of a longer text; a field of one line without. */
  readonly rows?: number;
}) {
  const id = useId();
  const { label, value, onValue, type = "text", rows, ...rest } = props;
  const shared = {
    id,
    value,
    autoComplete: "off",
    spellCheck: false,
    ...(rest.placeholder === undefined ? {} : { placeholder: rest.placeholder }),
    ...(rest.maxLength === undefined ? {} : { maxLength: rest.maxLength }),
  };
  return (
    <p className="preset-field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          type={type}
          autoFocus={rest.isFirst === true}
          onChange={(event) => onValue(event.target.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onValue(event.target.value)} />
      )}
    </p>
  );
}
