/** A choice of a few visible options; arrow keys select. */
export function Segmented<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly title: string }[];
  readonly onChange: (value: Value) => void;
  /** Why it cannot be changed now; undefined: it can. */
  readonly disabledBy?: string | undefined;
}) {
  return (
    <div
      className="segmented"
      role="radiogroup"
      aria-label={props.label}
      aria-disabled={props.disabledBy !== undefined}
    >
      {props.options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === props.value}
          tabIndex={option.value === props.value ? 0 : -1}
          title={props.disabledBy ?? option.title}
          disabled={props.disabledBy !== undefined}
          onClick={() => props.onChange(option.value)}
          onKeyDown={(event) => {
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            const at = props.options.findIndex((candidate) => candidate.value === props.value);
            const next = (at + step + props.options.length) % props.options.length;
            const chosen = props.options[next];
            if (chosen !== undefined) props.onChange(chosen.value);
            const buttons = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=radio]");
            buttons?.[next]?.focus();
          }}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
