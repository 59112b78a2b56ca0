import { fetched } from "../ui/fetched.tsx";

const nothing = () => null;

// Opened by keys and typed in at once, so they are fetched beside the page, before the first key.
export const CanvasDialog = fetched(
  async () => (await import("../shell/canvas-dialog.tsx")).CanvasDialog,
  nothing,
  "start",
);
export const HelpDialog = fetched(
  async () => (await import("../palette/help-dialog.tsx")).HelpDialog,
  nothing,
  "start",
);
export const OpenPalette = fetched(async () => (await import("./open-palette.tsx")).OpenPalette, nothing, "start");
