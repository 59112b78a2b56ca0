export interface MenuItem {
  readonly label: string;
  readonly note?: string;
  /** Other words that people use for it, by which the palette finds it. */
  readonly words?: string;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

/** The items of an open menu. The list around them moves the focus. */
export function MenuItems(props: { readonly items: readonly MenuItem[]; readonly close: () => void }) {
  return props.items.map((item) => (
    <button
      key={item.label}
      type="button"
      role={item.checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={item.checked}
      disabled={item.disabled}
      tabIndex={-1}
      onClick={() => {
        props.close();
        item.run();
      }}
    >
      <span className="menu-check">{item.checked === true ? "✓" : ""}</span>
      <span className="menu-label">{item.label}</span>
      {item.note !== undefined && <span className="menu-note">{item.note}</span>}
    </button>
  ));
}
