/** Shapes on a grid of 24, drawn with a stroke of the text's colour. */
const shapes = {
  plus: "M12 5v14M5 12h14",
  archive: "M4 5h16v4H4zM5.500 9v10.500h13V9M10 13h4",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.500 4.500L19 7.500",
  more: "M5.500 12h1M11.500 12h1M17.500 12h1",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  "chevron-left": "M14.500 6l-6 6 6 6",
  "chevron-right": "M9.500 6l6 6-6 6",
  "chevron-down": "M6 9.500l6 6 6-6",
  pencil:
    "M4 20l1-4.500L16.500 4a2.100 2.100 0 0 1 3 0l.500.500a2.100 2.100 0 0 1 0 3L8.500 19 4 20zM14.500 6l3.500 3.500",
  history: "M12 7.500v5l3.500 2M4.500 12A7.500 7.500 0 1 0 7 6.400M4 4.500V8h3.500",
  fold: "M5 4h14M5 20h14M12 6.500v4M9.500 8.500L12 11l2.500-2.500M12 17.500v-4M9.500 15.500L12 13l2.500 2.500",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  "eye-off":
    "M4 4l16 16M10 5.800c.600-.200 1.300-.300 2-.300 6 0 9.500 6.500 9.500 6.500s-1 1.900-3 3.700M6.500 7.500C3.900 9.300 2.500 12 2.500 12S6 18.500 12 18.500c1.700 0 3.200-.500 4.500-1.300",
  again: "M20 11.500A8 8 0 1 0 17.500 17.500M20 5v6.500h-6",
  copy: "M9 9h11v11H9zM5.500 15H4V4h11v1.500",
  send: "M12 19V5.500M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  undo: "M8.500 14L4 9.500 8.500 5M4 9.500h10a5.500 5.500 0 0 1 0 11h-3",
  redo: "M15.500 14L20 9.500 15.500 5M20 9.500H10a5.500 5.500 0 0 0 0 11h3",
  search: "M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM15.500 15.500L20 20",
  folder: "M3.500 6h6l2 2.500h9V19h-17z",
  pin: "M9 4h6l-.800 6 3.300 3v2h-11v-2l3.300-3zM12 15v5.500",
  document: "M6 3h8l4.500 4.500V21H6zM14 3v5h4.500M9 12.500h6.500M9 16.500h6.500",
  outline: "M4 6h11M8 11h11M8 16h8M4 11h.100M4 16h.100",
  branch: "M7 4v16M7 13c0-4.500 10-1.500 10-6M17 7a1.800 1.800 0 1 0 0-3.600A1.800 1.800 0 0 0 17 7z",
  shield: "M12 3.500l7 2.500v5.500c0 4.500-3 7.500-7 9-4-1.500-7-4.500-7-9V6zM9 11.500l2.300 2.300 4-4.300",
  chat: "M4 5h16v11.500H11L6.500 20v-3.500H4z",
  comment: "M4 5h16v11.500H11L6.500 20v-3.500H4zM8 9h8M8 12.500h5",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  hand: "M8 12.500V6a1.500 1.500 0 0 1 3 0v5M11 11V4.500a1.500 1.500 0 0 1 3 0V11M14 11V6a1.500 1.500 0 0 1 3 0v8c0 4-2 7-5.500 7S7 19 6 17l-2-3.500a1.500 1.500 0 0 1 2.500-1.600L8 13.500",
  alert: "M12 4L2.500 20h19zM12 10v4.500M12 17.400v.100",
  tool: "M14.500 6.500a4 4 0 0 1 5-1l-2.700 2.700 1 2 2.200.800 2-2a4 4 0 0 1-5.500 4.700L9 21a2.100 2.100 0 0 1-3-3l7.500-7.500a4 4 0 0 1 1-4z",
  thought: "M12 4a6 6 0 0 1 3.500 10.900V17h-7v-2.100A6 6 0 0 1 12 4zM9.500 20.500h5",
  help: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.700.300-1 .900-1 1.700v.500M12 17.200v.100",
  settings:
    "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  contrast: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 3v18M15 5v14M18 7.500v9",
  down: "M12 5v14M6 13l6 6 6-6",
  panel: "M3.500 5h17v14h-17zM9.500 5v14",
  "panel-right": "M3.500 5h17v14h-17zM14.500 5v14",
  people:
    "M9 11.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM3 20c0-3.500 2.500-5.500 6-5.500s6 2 6 5.500M16 5a3.500 3.500 0 0 1 0 6.500M17.500 14.900c2.200.700 3.500 2.500 3.500 5.100",
} as const;

export type IconName = keyof typeof shapes;

/** An icon beside a label or in a named button; hidden from screen readers. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}

/** The sign of Heddle: crossing threads. */
export function Mark({ size = 20 }: { readonly size?: number }) {
  return (
    <svg className="mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
      <path d="M8 3c0 9 16 17 16 26" />
      <path d="M24 3c0 5-4.200 8.700-8 12.200" />
      <path d="M13 18.200C10.200 21 8 24.600 8 29" />
      <path className="faint" d="M16 3v6.500M16 22.500V29" />
    </svg>
  );
}
