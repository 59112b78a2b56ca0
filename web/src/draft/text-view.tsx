/** Whether a text is shown whole, or what changed in it. */
export type ViewChoice = "changes" | "text";

export const viewChoices = [
  { value: "changes", label: "Changes", title: "What differs, word by word" },
  { value: "text", label: "Text", title: "The whole text" },
] as const;

/** A text for reading alone; `caption`: whether its label is shown above it, where two lie side by side. */
export function TextView(props: { readonly text: string; readonly label: string; readonly caption?: boolean }) {
  const { text, label } = props;
  const shown = (
    <pre className="read-only-text" tabIndex={0} role="region" aria-label={label}>
      {text === "" ? "(empty)" : text}
    </pre>
  );
  if (props.caption !== true) return shown;
  return (
    <div className="captioned-text">
      <p className="quiet" aria-hidden="true">
        {label}
      </p>
      {shown}
    </div>
  );
}
