import { useEffect, useState } from "react";
import { Icon } from "./icons.tsx";

/** Copies a text to the clipboard and confirms it for a moment; with a face, in words as large as other buttons. */
export function CopyButton(props: { readonly text: string; readonly label: string; readonly face?: string }) {
  const { text, label, face } = props;
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    // Browsers allow the clipboard only on localhost or over TLS.
    if (!("clipboard" in navigator)) return;
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button
      type="button"
      className={face === undefined ? "icon-button" : "quiet-button"}
      aria-label={label}
      title={copied ? "Copied" : label}
      onClick={copy}
    >
      <Icon name={copied ? "check" : "copy"} size={15} /> {face}
    </button>
  );
}
