import { type ComponentProps, lazy, Suspense } from "react";
import { Dialog } from "./dialog.tsx";

const Shown = lazy(async () => ({ default: (await import("./settings-dialog.tsx")).SettingsDialog }));

/** The settings, fetched when they are first opened. */
export function SettingsDialog(props: ComponentProps<typeof Shown>) {
  const waiting = (
    <Dialog title="Settings" className="settings" onClose={props.onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  );
  return (
    <Suspense fallback={waiting}>
      <Shown {...props} />
    </Suspense>
  );
}
