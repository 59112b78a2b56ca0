/** Whether a text is shown whole, or what changed in it. */
export type ViewChoice = "changes" | "text";

export const viewChoices = [
  { value: "changes", label: "Changes", title: "What differs, word by word" },
  { value: "text", label: "Text", title: "The whole text" },
] as const;

/** A text for reading alone. */
export function TextView({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className="read-only-text" tabIndex={0} role="region" aria-label={label}>
      {text === "" ? "(empty)" : text}
    </pre>
  );
}
