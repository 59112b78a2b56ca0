import { fetched } from "../ui/fetched.tsx";

// Fetched when they are first opened.
export const CanvasDialog = fetched(async () => (await import("../shell/canvas-dialog.tsx")).CanvasDialog);
export const HelpDialog = fetched(async () => (await import("../palette/help-dialog.tsx")).HelpDialog);
export const OpenPalette = fetched(async () => (await import("./open-palette.tsx")).OpenPalette);
