import { useEffect, useRef } from "react";

/** A name that is typed in its place: Enter and leaving the field keep it, Escape gives it up (null). */
export function NameField({ name, onDone }: { readonly name: string; readonly onDone: (name: string | null) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    const input = field.current;
    input?.focus();
    // The ending of a file stays unless it is changed on purpose.
    const dot = name.lastIndexOf(".");
    input?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name]);
  const done = (typed: string | null): void => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(typed);
  };
  return (
    <input
      ref={field}
      className="name-field"
      aria-label="Name"
      defaultValue={name}
      maxLength={200}
      spellCheck={false}
      onClick={(event) => event.stopPropagation()}
      onBlur={(event) => done(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") done(event.currentTarget.value);
        if (event.key === "Escape") done(null);
      }}
    />
  );
}
