import { type ComponentProps, lazy, Suspense } from "react";

const Shown = lazy(async () => ({ default: (await import("./diff-view.tsx")).DiffView }));

/** How a text changed, fetched when it is first looked at. */
export function DiffView(props: ComponentProps<typeof Shown>) {
  return (
    <Suspense fallback={<p aria-busy="true">Comparing…</p>}>
      <Shown {...props} />
    </Suspense>
  );
}
