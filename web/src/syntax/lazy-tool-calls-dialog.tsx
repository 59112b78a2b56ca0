import { type ComponentProps, lazy, Suspense } from "react";
import { Dialog } from "../app/dialog.tsx";

// The grammars of all syntaxes are fetched by who asks for them.
const Shown = lazy(async () => ({ default: (await import("./tool-calls-dialog.tsx")).ToolCallsDialog }));

/** The dialog about tool calls, fetched when it is first opened. */
export function ToolCallsDialog(props: ComponentProps<typeof Shown>) {
  const waiting = (
    <Dialog title="Tool calls" className="tool-calls" onClose={props.onClose}>
      <p className="quiet">Opening…</p>
    </Dialog>
  );
  return (
    <Suspense fallback={waiting}>
      <Shown {...props} />
    </Suspense>
  );
}
